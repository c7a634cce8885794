;;; searching.el --- a search by question in Eglot, in batch mode  -*- lexical-binding: t -*-

;; With the snippet of the documentation (the file SNIPPET).  What is said is written to RESULT.

(require 'json)
(require 'eglot)
(setq eglot-sync-connect 30 native-comp-async-report-warnings-errors nil)
(defvar said nil)
(add-to-list
 'eglot-server-programs
 `(python-mode
   . (,(getenv "PYTHON") "-m" "glossator.lsp" :initializationOptions
      (:settings (:models (:offline t)) :trusted t))))
(load (getenv "SNIPPET") nil t)
(advice-add 'message :before
            (lambda (format &rest arguments)
              (when format (push (apply #'format-message format arguments) said))))

(defun shown ()
  "The report's path, once it is shown or named."
  (or (cl-loop for buffer in (buffer-list)
               for name = (buffer-file-name buffer)
               when (and name (string-match "/reports/" name)) return name)
      (cl-loop for each in said
               when (string-match "Answer: \\(.+\\)" each) return (match-string 1 each))))

(find-file (getenv "FILE"))
(python-mode)
(apply #'eglot (eglot--guess-contact))
(glossator-search (getenv "QUERY"))
(with-timeout (60)
  (while (not (shown)) (accept-process-output nil 0.05)))
(with-temp-file (getenv "RESULT")
  (insert (json-encode `((shown . ,(shown)) (said . ,(vconcat said))))))
(kill-emacs 0)
