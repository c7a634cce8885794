-- A plan is asked for, left, opened and changed in a buffer with the snippet of the documentation (the
-- file SNIPPET), and started. What was seen is written to RESULT as JSON.
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

local left = false
vim.lsp.handlers["window/showMessageRequest"] = function()
  left = true
  return { title = "No" }
end
vim.lsp.handlers["window/showMessage"] = function() end

vim.cmd("edit calc.py")
local buffer = vim.api.nvim_get_current_buf()
local settings = { permissions = { mode = "plan" } }
local client_id = vim.lsp.start_client({
  name = "glossator",
  cmd = { vim.env.PYTHON, "-m", "glossator.lsp" },
  root_dir = vim.fn.getcwd(),
  init_options = { settings = settings, trusted = true },
})
vim.lsp.buf_attach_client(buffer, client_id)
local client = vim.lsp.get_client_by_id(client_id)
until_true("the server did not start", function() return client.initialized end)

if not vim.lsp.get_clients then -- before 0.10, as the snippet would find it later
  vim.lsp.get_clients = function(filter)
    local found = {}
    function found:request(...) return client.request(...) end
    return filter.name == client.name and { found } or {}
  end
end
vim.cmd("source " .. vim.env.SNIPPET)

local stop
local command = { command = "glossator.ask", arguments = { { question = "Fix it." } } }
client.request("workspace/executeCommand", command, function(err, answer)
  stop = err and err.message or answer.stop
end)
until_true("the user was not asked about the plan", function() return stop == "planned" and left end)

local function planned()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local shown = vim.api.nvim_win_get_buf(window)
    if vim.bo[shown].filetype == "markdown" and vim.bo[shown].buftype == "nofile" then
      return shown
    end
  end
end
vim.cmd("GlossatorPlan")
until_true("the plan was not opened", planned)
seen.plan = vim.api.nvim_buf_get_lines(planned(), 0, -1, false)
vim.api.nvim_buf_set_lines(planned(), -2, -1, false, { "2. Read it again." })
vim.cmd("GlossatorStart auto")
seen.windows = planned() and 1 or 0
until_true("the plan was not carried out", function()
  seen.lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  return table.concat(seen.lines, "\n"):find("a + c", 1, true)
end)
vim.lsp.stop_client(client_id)
finish(0)
