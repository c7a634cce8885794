// Style sheets are taken by the bundler, and are nothing to the compiler.

declare module "*.css";
