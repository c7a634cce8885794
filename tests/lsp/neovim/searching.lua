-- A search by question: with the snippet of the documentation (the file SNIPPET) into the quickfix
-- list, then as any editor runs the command, which is shown a report. Written to RESULT as JSON.
local seen = {}
local messages = {}

local function finish(code)
  seen.messages = messages
  vim.fn.writefile({ vim.fn.json_encode(seen) }, vim.env.RESULT)
  vim.cmd(code == 0 and "qall!" or "cquit 1")
end

local function until_true(what, test)
  if not vim.wait(30000, test, 20) then
    seen.failed = what
    finish(1)
  end
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

if not vim.lsp.get_clients then -- before 0.10, as the snippet would find it later
  vim.lsp.get_clients = function(filter)
    local found = { offset_encoding = client.offset_encoding }
    function found:request(...) return client.request(...) end
    return filter.name == client.name and { found } or {}
  end
end
vim.cmd("source " .. vim.env.SNIPPET)
local window = vim.api.nvim_get_current_win()
vim.cmd("GlossatorSearch " .. vim.env.QUERY)
until_true("the quickfix list stayed empty", function() return #vim.fn.getqflist() > 0 end)
seen.title = vim.fn.getqflist({ title = 1 }).title
seen.items = vim.tbl_map(function(item)
  local name = vim.api.nvim_buf_get_name(item.bufnr)
  return { file = vim.fn.fnamemodify(name, ":."), line = item.lnum, text = item.text }
end, vim.fn.getqflist())
seen.told = #messages
vim.cmd("cclose")
vim.api.nvim_set_current_win(window)

local answered = false
local command = { command = "glossator.search", arguments = { { query = vim.env.QUERY } } }
client.request("workspace/executeCommand", command, function(err, result)
  seen.locations, seen.error = result and result.locations, err and err.message
  answered = true
end)
until_true("glossator.search was not answered", function() return answered end)

local function report()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buffer)
    if name:find("/reports/", 1, true) then return name end
  end
  for _, message in ipairs(messages) do
    local path = message:match("Answer: (.+)")
    if path then return vim.fn.expand(path) end
  end
end
until_true("no report was shown", function() return report() ~= nil end)
seen.beside = #vim.api.nvim_list_wins() > 1
seen.shows = vim.fn.has("nvim-0.9") == 1
vim.cmd("edit " .. report())
seen.report = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
vim.fn.search(vim.env.FILE)
vim.cmd("normal! gF")
seen.followed = { vim.fn.expand("%:."), vim.api.nvim_win_get_cursor(0)[1] }
vim.lsp.stop_client(client_id)
finish(0)
