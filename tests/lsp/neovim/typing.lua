-- The user types while a model edits the document: `# mine` goes above the first line just before
-- Neovim applies the edit, and Neovim tells of it 150 ms later. What is there when the answer has
-- come is written to RESULT as JSON.
local seen = { applied = {} }

local function finish(code)
  vim.fn.writefile({ vim.fn.json_encode(seen) }, vim.env.RESULT)
  vim.cmd(code == 0 and "qall!" or "cquit 1")
end

local function until_true(what, test)
  if not vim.wait(30000, test, 20) then
    seen.failed = what
    finish(1)
  end
end

vim.cmd("edit calc.py")
local buffer = vim.api.nvim_get_current_buf()
local apply = vim.lsp.handlers["workspace/applyEdit"]
vim.lsp.handlers["workspace/applyEdit"] = function(...)
  if #seen.applied == 0 then
    vim.api.nvim_buf_set_lines(buffer, 0, 0, false, { "# mine" })
  end
  local answer = apply(...)
  table.insert(seen.applied, answer.applied)
  return answer
end

local client_id = vim.lsp.start_client({
  name = "glossator",
  cmd = { vim.env.PYTHON, "-m", "glossator.lsp" },
  root_dir = vim.fn.getcwd(),
  init_options = {
    settings = { permissions = { mode = "acceptEdits" } },
    trusted = true,
  },
})
vim.lsp.buf_attach_client(buffer, client_id)
local client = vim.lsp.get_client_by_id(client_id)
until_true("the server did not start", function() return client.initialized end)
if vim.env.TYPED_BEFORE then -- Neovim tells of it before it asks: the version is another one
  vim.api.nvim_buf_set_lines(buffer, -1, -1, false, { "# before" })
end

local answered = false
local command = { command = "glossator.ask", arguments = { { question = "?" } } }
client.request("workspace/executeCommand", command, function(err, result)
  seen.answer, seen.error = result and result.text, err and err.message
  answered = true
end)
until_true("glossator.ask was not answered", function() return answered end)

local function report()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window))
    if name:find("/reports/", 1, true) then return name end
  end
end
seen.shows = vim.fn.has("nvim-0.9") == 1
vim.wait(seen.shows and 30000 or 500, function() return report() ~= nil end, 20)
seen.report = report()
seen.current = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(0), ":t")
seen.lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
finish(0)
