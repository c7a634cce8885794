;;; typing.el --- a user of Eglot types while a model edits  -*- lexical-binding: t -*-

;; `# mine' is typed above the first line just before Eglot looks at the edit; Eglot sends it half a
;; second later.  When the answer is there, what is seen is written to RESULT as JSON.

(require 'json)
(require 'eglot)
(setq inhibit-startup-screen t make-backup-files nil auto-save-default nil)
(setq eglot-confirm-server-initiated-edits nil ; Eglot 1.9, of Debian 12
      eglot-confirm-server-edits nil           ; since Emacs 30
      native-comp-async-report-warnings-errors nil
      eglot-sync-connect 10)

(defvar seen-edits 0)
(defvar asked nil)

(defun type-first (&rest _)
  "Type once, before the first edit."
  (when (= (cl-incf seen-edits) 1)
    (with-current-buffer "calc.py"
      (save-excursion (goto-char (point-min)) (insert "# mine\n")))))

(defun finish (answer)
  "Write what is seen, once what is shown with the ANSWER is there."
  (run-with-timer
   0.5 nil
   (lambda ()
     (let ((current (buffer-name (window-buffer (selected-window))))
           (shown (mapcar (lambda (window) (buffer-file-name (window-buffer window)))
                          (window-list))))
       (with-temp-file (getenv "RESULT")
         (insert (json-encode
                  `((text . ,(with-current-buffer "calc.py" (buffer-string)))
                    (edits . ,seen-edits)
                    (current . ,current)
                    (shown . ,(vconcat shown))
                    (shows . ,(if (>= emacs-major-version 30) t :json-false))
                    (messages . ,(with-current-buffer (messages-buffer) (buffer-string)))
                    (answer . ,answer)))))
       (message "all is seen")))))

(add-to-list
 'eglot-server-programs
 `(python-mode
   . (,(getenv "PYTHON") "-m" "glossator.lsp" :initializationOptions
      (:settings (:permissions (:mode "acceptEdits")) :trusted t))))
(defun ask ()
  "Ask, once Eglot looks after the document."
  (when (and (eglot-current-server) (not asked))
    (setq asked t)
    (jsonrpc-async-request
     (eglot-current-server) :workspace/executeCommand
     '(:command "glossator.ask" :arguments [(:question "?")])
     :timeout 60
     :success-fn (lambda (result) (finish (plist-get result :text)))
     :error-fn (lambda (failure) (finish (plist-get failure :message)))
     :timeout-fn (lambda () (finish "no answer")))))

(advice-add 'eglot--apply-workspace-edit :before #'type-first)
(find-file "calc.py")
(python-mode)
(apply #'eglot (eglot--guess-contact))
(run-with-timer 0.1 0.1 #'ask)
