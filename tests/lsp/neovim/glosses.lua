-- What a user of Neovim sees: a hover, an explore report, the hover again, and once more after the
-- cited line was typed over. Written to RESULT as JSON.
local seen = {}
local messages = {}
local SECONDS = 30000

local function fail(what)
  seen.failed = what
  seen.messages = messages
  vim.fn.writefile({ vim.fn.json_encode(seen) }, vim.env.RESULT)
  vim.cmd("cquit 1")
end

local function until_true(what, test)
  if not vim.wait(SECONDS, test, 20) then fail(what) end
end

vim.lsp.handlers["window/showMessage"] = function(_, result)
  table.insert(messages, result.message)
end

vim.cmd("edit " .. vim.env.FILE)
local client_id = vim.lsp.start_client({
  name = "glossator",
  cmd = { vim.env.PYTHON, "-m", "glossator.lsp" },
  root_dir = vim.fn.getcwd(),
  init_options = { settings = { models = { offline = true } }, trusted = true },
})
vim.lsp.buf_attach_client(0, client_id)
local client = vim.lsp.get_client_by_id(client_id)
until_true("the server did not start", function() return client.initialized end)

local function float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then return window end
  end
end

-- The text of the window that `K` opens, once it holds the words.
local function hover(words)
  local text
  until_true("no hover with: " .. words, function()
    if not float() then
      vim.lsp.buf.hover()
      vim.wait(2000, function() return float() ~= nil end, 20)
    end
    local window = float()
    if not window then return false end
    local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
    vim.api.nvim_win_close(window, true)
    text = table.concat(lines, "\n")
    return text:find(words, 1, true) ~= nil
  end)
  return text
end

local line = vim.fn.search("def splash")
vim.api.nvim_win_set_cursor(0, { line, 5 })
local source = vim.api.nvim_get_current_buf()
seen.before = hover("No gloss yet")

local answered = false
local command = { command = "glossator.gloss", arguments = { { uri = vim.uri_from_bufnr(0), line = line } } }
client.request("workspace/executeCommand", command, function(err, result)
  seen.answer, seen.error = result and result.text, err and err.message
  answered = true
end)
until_true("glossator.gloss was not answered", function() return answered end)

-- The report is a file: Neovim is asked to show it, or its user is told where it is.
local function report()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buffer):find("/reports/", 1, true) then return buffer end
  end
  for _, message in ipairs(messages) do
    local path = message:match("Answer: (.+)")
    if path then
      vim.cmd("split " .. path)
      return vim.api.nvim_get_current_buf()
    end
  end
end
until_true("no report was shown", function() return report() ~= nil end)
local buffer = report()
vim.fn.bufload(buffer)
seen.report = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")

vim.cmd("only")
vim.api.nvim_win_set_buf(0, source)
vim.api.nvim_win_set_cursor(0, { line, 5 })
seen.after = hover("Gloss, fresh")
vim.api.nvim_buf_set_lines(source, line, line + 1, false, { "    return far * 3" })
seen.stale = hover("stale: 1 cited line changed")

vim.fn.writefile({ vim.fn.json_encode(seen) }, vim.env.RESULT)
vim.lsp.stop_client(client_id)
vim.cmd("qall!")
