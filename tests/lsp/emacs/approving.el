;;; approving.el --- a model asks to edit while a user of Eglot types  -*- lexical-binding: t -*-

;; Each box is kept with its buttons, how long no key had come, in ms, and its answer.  The end is
;; written to RESULT as JSON.

(require 'json)
(require 'eglot)
(setq inhibit-startup-screen t make-backup-files nil auto-save-default nil)
(setq eglot-confirm-server-initiated-edits nil ; Eglot 1.9, of Debian 12
      eglot-confirm-server-edits nil           ; since Emacs 30
      eglot-send-changes-idle-time 0.1
      native-comp-async-report-warnings-errors nil
      eglot-sync-connect 10)

(defvar asked nil)
(defvar boxes nil)
(defvar last-key (float-time))

(add-hook 'pre-command-hook (lambda () (setq last-key (float-time))))

(defun keep-box (read prompt titles &rest others)
  "Have READ show a box with PROMPT, TITLES and OTHERS, and keep it."
  (let* ((quiet (round (* 1000 (- (float-time) last-key))))
         (answer (apply read prompt titles others)))
    (push `((titles . ,(vconcat titles)) (quiet . ,quiet) (answer . ,answer)) boxes)
    answer))

(defun finish (answer)
  "Write what is seen, with the ANSWER."
  (with-temp-file (getenv "RESULT")
    (insert (json-encode
             `((lines . ,(vconcat (split-string
                                   (with-current-buffer "calc.py" (buffer-string)) "\n" t)))
               (boxes . ,(vconcat (reverse boxes)))
               (answer . ,answer)))))
  (message "all is seen"))

(add-to-list
 'eglot-server-programs
 `(python-mode
   . (,(getenv "PYTHON") "-m" "glossator.lsp" :initializationOptions
      (:settings (:permissions (:mode "ask")) :trusted t))))

(defun ask ()
  "Ask, once Eglot looks after the document."
  (when (and (eglot-current-server) (not asked))
    (setq asked t)
    (jsonrpc-async-request
     (eglot-current-server) :workspace/executeCommand
     '(:command "glossator.ask" :arguments [(:question "?")])
     :timeout 90
     :success-fn (lambda (result) (finish (plist-get result :text)))
     :error-fn (lambda (failure) (finish (plist-get failure :message)))
     :timeout-fn (lambda () (finish "no answer")))))

(find-file "calc.py")
(python-mode)
(apply #'eglot (eglot--guess-contact))
(advice-add 'completing-read :around #'keep-box)
(message "ready to type")
(run-with-timer 0.1 0.1 #'ask)
