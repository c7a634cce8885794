-- A model asks to edit while the user types in Insert mode. Each box is kept with its buttons, how
-- long no key had come, in ms, and its answer. The end is written to RESULT as JSON.
local seen = { boxes = {} }
vim.cmd("edit calc.py")
local buffer = vim.api.nvim_get_current_buf()

local last = vim.loop.hrtime()
vim.on_key(function() last = vim.loop.hrtime() end)

local method = "window/showMessageRequest"
local shown = vim.lsp.handlers[method]
vim.lsp.handlers[method] = function(err, box, ...)
  local titles = vim.tbl_map(function(action) return action.title end, box.actions)
  local quiet = math.floor((vim.loop.hrtime() - last) / 1e6)
  local answer = shown(err, box, ...)
  table.insert(seen.boxes, {
    titles = titles,
    quiet = quiet,
    answer = type(answer) == "table" and answer.title or "",
  })
  return answer
end

local client_id = vim.lsp.start_client({
  name = "glossator",
  cmd = { vim.env.PYTHON, "-m", "glossator.lsp" },
  root_dir = vim.fn.getcwd(),
  init_options = { trusted = true, settings = { permissions = { mode = "ask" } } },
})
vim.lsp.buf_attach_client(buffer, client_id)
local client = vim.lsp.get_client_by_id(client_id)

local asked = false
vim.loop.new_timer():start(50, 50, vim.schedule_wrap(function()
  if not client.initialized or asked then return end
  asked = true
  local command = { command = "glossator.ask", arguments = { { question = "?" } } }
  client.request("workspace/executeCommand", command, function(err, answer)
    seen.answer = err and err.message or answer.text
    seen.lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
    vim.fn.writefile({ vim.fn.json_encode(seen) }, vim.env.RESULT)
    vim.cmd("qall!")
  end)
end))
vim.cmd("startinsert")
