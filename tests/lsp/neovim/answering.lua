-- An answer comes while the user is in Insert mode. When it is shown, or told of, the status line
-- says so; once the user has typed on, what is there is written to RESULT as JSON.
vim.o.laststatus = 2
vim.o.ruler = false
vim.cmd("edit calc.py")
local buffer = vim.api.nvim_get_current_buf()

for _, method in ipairs({ "window/showDocument", "window/showMessage" }) do
  local shown = vim.lsp.handlers[method]
  vim.lsp.handlers[method] = function(...)
    local answer = shown and shown(...)
    vim.defer_fn(function()
      vim.o.statusline = "all is there"
      vim.cmd("redraw!")
    end, 200)
    return answer
  end
end

local client_id = vim.lsp.start_client({
  name = "glossator",
  cmd = { vim.env.PYTHON, "-m", "glossator.lsp" },
  root_dir = vim.fn.getcwd(),
  init_options = { trusted = true },
})
vim.lsp.buf_attach_client(buffer, client_id)
local client = vim.lsp.get_client_by_id(client_id)

local function typed(text)
  for _, each in ipairs(vim.api.nvim_list_bufs()) do
    local lines = table.concat(vim.api.nvim_buf_get_lines(each, 0, -1, false), "\n")
    if lines:find(text, 1, true) then return each end
  end
end

local asked = false
vim.loop.new_timer():start(50, 50, vim.schedule_wrap(function()
  if client.initialized and not asked then
    asked = true
    local command = { command = "glossator.ask", arguments = { { question = "?" } } }
    client.request("workspace/executeCommand", command, function() end)
  end
  if typed("and on.") then
    local seen = {
      lines = vim.api.nvim_buf_get_lines(buffer, 0, 1, false),
      current = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(0), ":t"),
      mode = vim.api.nvim_get_mode().mode,
      windows = vim.tbl_map(function(window)
        local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window))
        return vim.fn.fnamemodify(name, ":t")
      end, vim.api.nvim_list_wins()),
      shows = vim.fn.has("nvim-0.9") == 1,
    }
    vim.fn.writefile({ vim.fn.json_encode(seen) }, vim.env.RESULT)
    vim.cmd("qall!")
  end
end))
vim.cmd("startinsert")
