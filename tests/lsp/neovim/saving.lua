-- A model edits a document that is open, and a file that is not. What Neovim has then, and what the
-- disk, is written to RESULT as JSON; the user saves in the end.
local seen = {}

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

local answered = false
local command = { command = "glossator.ask", arguments = { { question = "?" } } }
client.request("workspace/executeCommand", command, function(err, result)
  seen.unsaved, seen.error = result and result.unsaved, err and err.message
  answered = true
end)
until_true("glossator.ask was not answered", function() return answered end)

seen.modified = {}
for _, each in ipairs(vim.api.nvim_list_bufs()) do
  if vim.bo[each].modified then
    table.insert(seen.modified, vim.fn.fnamemodify(vim.api.nvim_buf_get_name(each), ":t"))
  end
end
seen.open, seen.closed = vim.fn.readfile("calc.py"), vim.fn.readfile("closed.py")
vim.cmd("write")
seen.saved = vim.fn.readfile("calc.py")
finish(0)
