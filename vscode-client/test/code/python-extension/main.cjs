// The part of the Python extension that is used: its interface to others.

const { Uri } = require("vscode");

exports.activate = () => ({
  environments: {
    getActiveEnvironmentPath: () => ({ path: "/chosen" }),
    resolveEnvironment: async ({ path }) => ({
      executable: { uri: Uri.file(`${path}/bin/python`) },
    }),
  },
});
