// A server reads lictor.wasm from the package, so that the package stays a package.
export default { serverExternalPackages: ["lictor"] };
