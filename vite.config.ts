/** Builds the widget into one file and checks its size. The same file configures the unit tests. */
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { minifySync, type Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { noteSources } from './server/documents/sources.ts'

const FILE = 'kassa.js'
/** The largest script that a merchant's page may have to load, in brotli. */
const BROTLI_LIMIT_BYTES = 11_264

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const ROOT = pathOf('./')
const OWN = 'our own code'
const UNPOLLUTED = pathOf('widget/unpolluted.ts')
/** The texts of the button in each language but English, which the server sends on demand. */
const LANGUAGES = pathOf('widget/languages')
const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as {
  version: string
}

const brotli = (code: string): Buffer =>
  brotliCompressSync(code, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })

/** On a merchant's page without a charset, UTF-8 text in a script would be garbled. The escapes cost about 140 bytes. */
const toAscii = (code: string): string =>
  code.replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** The package that a module comes from, or our own code. */
const partOf = (id: string): string => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? OWN

/**
 * One line for each part of the widget: what it would weigh alone. The parts add up to more than the whole file,
 * because brotli finds what they have in common.
 */
function describeParts(modules: Record<string, { code: string | null }>): string[] {
  const parts = new Map<string, string>()
  for (const [id, { code }] of Object.entries(modules))
    parts.set(partOf(id), `${parts.get(partOf(id)) ?? ''}${code ?? ''}\n`)
  return [...parts].map(([name, code]) => {
    const small = toAscii(minifySync('part.js', code, { compress: true, mangle: true }).code)
    return `  ${name} alone: raw ${small.length}, brotli ${brotli(small).length}`
  })
}

/**
 * Parts of a library that the button does not use, and that a bundler keeps: signals as text in JSX and of JSON, their subscribers, and
 * computed signals. If the button used one, its first render would throw or show another text, and browser tests would fail.
 */
const UNUSED: Record<string, [part: RegExp, instead: string][]> = {
  '@preact/signals': [
    [
      /function (\w+)\(\{data:\w+\}\)\{.*?\1\.displayName="ReactiveTextNode";Object\.defineProperties\(.*?\}\);(?=\w+\("__b")/s,
      '',
    ],
  ],
  '@preact/signals-core': [
    [/(\w+)\.prototype\.subscribe=function\(.*?(?=\1\.prototype\.peek=)/s, ''],
    [
      /function (\w+)\(\w+,\w+\)\{\w+\.call\(this,void 0.*?(?=function \w+\(\w+,\w+\)\{return new \1\()/s,
      'function $1(){}',
    ],
  ],
}

/** The first step: takes them out. A new version of a library that looks different stops the build. */
function leaveOutUnused(): Plugin {
  return {
    name: 'kassa:leave-out-unused',
    apply: 'build',
    transform(code, id) {
      const parts = UNUSED[partOf(id)]
      if (!parts) return null
      let rest = code
      for (const [part, instead] of parts) {
        if (!part.test(rest))
          this.error(`${id} has changed: a part that the button does not use is not in it`)
        rest = rest.replace(part, instead)
      }
      return { code: rest, map: null }
    },
  }
}

/** The last step: writes ASCII, adds the compressed files that the server sends, prints the sizes and checks the limit. */
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
      const small = brotli(chunk.code)
      const zipped = gzipSync(chunk.code, { level: 9 })
      this.emitFile({ type: 'asset', fileName: `${FILE}.br`, source: small })
      this.emitFile({ type: 'asset', fileName: `${FILE}.gz`, source: zipped })
      for (const name of readdirSync(LANGUAGES))
        this.emitFile({ type: 'asset', fileName: name, source: readFileSync(`${LANGUAGES}/${name}`) })
      const sizes = `raw ${chunk.code.length}, gzip ${zipped.length}, brotli ${small.length}`
      const lines = [
        `${FILE} ${version}: ${sizes} of ${BROTLI_LIMIT_BYTES} bytes`,
        ...describeParts(chunk.modules),
      ]
      this.info(lines.join('\n'))
      if (small.length > BROTLI_LIMIT_BYTES) {
        this.error(`${FILE} is ${small.length} bytes in brotli; the limit is ${BROTLI_LIMIT_BYTES}`)
      }
    },
    writeBundle({ dir = '' }) {
      const own = [...this.getModuleIds()].filter((id) => id.startsWith(ROOT) && partOf(id) === OWN)
      const sources = own.map((id) => id.slice(ROOT.length).replace(/\?.*/, '')).sort()
      noteSources(ROOT, dir, [...sources, 'vite.config.ts', 'package.json', 'package-lock.json'])
    },
  }
}

/** These tests measure time or memory, so they do not share a process with other test files. */
const TESTS_ALONE = ['server/card-number/*.test.ts', 'server/channels/doctor/*.test.ts']

/** The button's sources need Vite, and so does the replacement of a module. Neither needs the service, which has a thousand modules. */
const TESTS_TRANSFORMED = ['server/storage/statements.test.ts', 'widget/**/*.test.ts']

/** Node runs our TypeScript as it is, so nothing is transformed first. The service's own processes load it the same way. */
const AS_IT_IS = { viteModuleRunner: false, nodeLoader: false }

/** Vitest starts the largest files first. These are small, but wait for long, so they would be the only ones left at the end. */
const SLOW_TESTS =
  /(documents\/reference\/pages|backup\/backup|worker\/deliveries-crash|operations\/(model|refund-race)|creation\/crash(-sweep)?)\.test\.ts$/

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const largestFirst = await super.sort(files)
    const isLater = ({ project, moduleId }: TestSpecification) =>
      project.name === 'shared' && !SLOW_TESTS.test(moduleId)
    return [...largestFirst.filter((file) => !isLater(file)), ...largestFirst.filter(isLater)]
  }
}

export default defineConfig({
  // The server sends public/. It is not part of the bundle.
  publicDir: false,
  define: {
    __KASSA_VERSION__: JSON.stringify(version),
    // Else the page's own developer tools could reach into the button.
    'window.__PREACT_SIGNALS_DEVTOOLS__': 'false',
  },
  resolve: {
    // Take the modern builds. The packages' browser entries are compiled for older browsers than ours.
    conditions: ['module', 'import'],
    // The button uses no hooks. Without them it is 700 bytes smaller.
    alias: { 'preact/hooks': pathOf('widget/no-hooks.ts') },
  },
  oxc: { jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' } },
  plugins: [leaveOutUnused(), finishWidget()],
  build: {
    // One folder per version. Earlier ones stay for the pages that pinned them.
    outDir: `.dist/widget/${version}`,
    emptyOutDir: true,
    target: 'es2022',
    minify: 'oxc',
    cssMinify: 'lightningcss',
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: 'widget/embed.ts',
      transform: {
        // The page can make the built-in ones fail. See widget/unpolluted.ts.
        inject: {
          'Object.defineProperty': [UNPOLLUTED, 'defineProperty'],
          'Object.defineProperties': [UNPOLLUTED, 'defineProperties'],
        },
      },
      output: { format: 'iife', entryFileNames: FILE },
    },
  },
  test: {
    environment: 'node',
    // Some tests wait, so one more runs than there are processors. Each worker compiles the whole service for itself, which takes more
    // processor time than more of them save.
    maxWorkers: availableParallelism() + 1,
    // A limit only ends a test that hangs. No test measures time by it, so it is far longer than any test takes on a busy machine.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // The same holds for a test that asks again and again. By itself it would give up after one second.
    expect: { poll: { timeout: 300_000 } },
    tags: [{ name: 'long', description: 'Run by `npm run test:long`, not by `npm test`' }],
    globalSetup: 'server/testing/global-setup.ts',
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          // A process loads the service once for many files. A process for each file took half as much CPU time again.
          isolate: false,
          experimental: AS_IT_IS,
          include: ['server/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...TESTS_ALONE, ...TESTS_TRANSFORMED],
        },
      },
      { extends: true, test: { name: 'alone', experimental: AS_IT_IS, include: TESTS_ALONE } },
      { extends: true, test: { name: 'transformed', include: TESTS_TRANSFORMED } },
    ],
  },
})
