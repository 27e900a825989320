import { defineConfig } from "vite";

export default defineConfig({ optimizeDeps: { exclude: ["lictor"] }, server: { fs: { allow: [".."] } } });
