/** Builds the widget into one file and holds it to its size; the same file configures the tests. */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { minifySync, type Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

const FILE = 'kassa.js'
/** The most that a merchant's page may be asked to load: 11 KiB, as brotli sends it. */
const BROTLI_LIMIT_BYTES = 11_264

const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as {
  version: string
}

const brotli = (code: string): Buffer =>
  brotliCompressSync(code, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })

/** A merchant's page without a charset would garble UTF-8 in a script; escapes cost about 50 bytes. */
const toAscii = (code: string): string =>
  code.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The last step: ASCII, the compressed twins that the server sends, the sizes, and the limit. */
function finishWidget(): Plugin {
  return {
    name: 'kassa:finish-widget',
    apply: 'build',
    enforce: 'post',
    generateBundle(_, bundle) {
      const chunk = bundle[FILE]
      if (chunk?.type !== 'chunk' || Object.keys(bundle).length !== 1) {
        this.error(`the widget must be one file, but is ${Object.keys(bundle).join(', ')}`)
      }
      chunk.code = toAscii(chunk.code)
      const own = Object.entries(chunk.modules)
        .filter(([id]) => !id.includes('/node_modules/'))
        .map(([, module]) => module.code ?? '')
        .join('\n')
      const ownCode = toAscii(minifySync('own.js', own, { compress: true, mangle: true }).code)
      const ownSmall = brotli(ownCode).length
      const small = brotli(chunk.code)
      const zipped = gzipSync(chunk.code, { level: 9 })
      this.emitFile({ type: 'asset', fileName: `${FILE}.br`, source: small })
      this.emitFile({ type: 'asset', fileName: `${FILE}.gz`, source: zipped })
      this.info(
        `${FILE} ${version}: raw ${chunk.code.length}, gzip ${zipped.length}, brotli ${small.length} ` +
          `of ${BROTLI_LIMIT_BYTES} bytes; our own code alone: raw ${ownCode.length}, brotli ${ownSmall} ` +
          `(${Math.round((ownSmall / small.length) * 100)} %)`,
      )
      if (small.length > BROTLI_LIMIT_BYTES) {
        this.error(`${FILE} is ${small.length} bytes in brotli; the limit is ${BROTLI_LIMIT_BYTES}`)
      }
    },
  }
}

export default defineConfig({
  // public/ belongs to the server, not to the bundle.
  publicDir: false,
  define: { __KASSA_VERSION__: JSON.stringify(version) },
  resolve: {
    // The modern builds: browser entries of the same packages are compiled for older targets than ours.
    conditions: ['module', 'import'],
  },
  oxc: { jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' } },
  plugins: [finishWidget()],
  build: {
    // A folder for each version: earlier ones stay for the pages that pinned them.
    outDir: `.dist/widget/${version}`,
    emptyOutDir: true,
    target: 'es2022',
    minify: 'oxc',
    cssMinify: 'lightningcss',
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: 'widget/embed.ts',
      output: { format: 'iife', entryFileNames: FILE },
    },
  },
  test: {
    include: ['server/**/*.test.ts', 'widget/**/*.test.ts'],
    environment: 'node',
    // Most of them wait for others, so that two at once fit on two processors: 458 s in place of 874 s.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 30_000,
    hookTimeout: 60_000,
    globalSetup: 'server/testing/global-setup.ts',
  },
})
