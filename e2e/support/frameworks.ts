/** Bundles programs that use React or Vue, as a merchant's bundler would. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'
import { compileScript, parse } from 'vue/compiler-sfc'

const HERE = fileURLToPath(new URL('.', import.meta.url))

/**
 * Bundles `main.jsx` and the files that it imports by `./name` into one script. It is a development build, because only
 * a development build prints warnings, and its StrictMode mounts everything twice.
 */
export async function bundle(files: Record<string, string>): Promise<string> {
  const built = await build({
    configFile: false,
    root: HERE,
    publicDir: false,
    logLevel: 'error',
    mode: 'development',
    define: {
      'process.env.NODE_ENV': '"development"',
      __VUE_OPTIONS_API__: 'true',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
    plugins: [given(files), singleFileComponents()],
    build: {
      write: false,
      minify: false,
      modulePreload: false,
      rolldownOptions: { input: join(HERE, 'main.jsx'), output: { format: 'iife' } },
    },
  })
  const [result] = [built].flat()
  const [chunk] = result && 'output' in result ? result.output : []
  if (chunk?.type !== 'chunk') throw new Error('The bundler made no script.')
  // The code will be inside a script element.
  return chunk.code.replaceAll('</script', '<\\/script')
}

function given(files: Record<string, string>): Plugin {
  const paths = new Map(Object.entries(files).map(([name, code]) => [join(HERE, name), code]))
  return {
    name: 'e2e:given',
    enforce: 'pre',
    resolveId: (id) => [id, join(HERE, id)].find((path) => paths.has(path)),
    load: (id) => paths.get(id),
  }
}

/** Runs Vue's own compiler. A comment in the component tells which tags are custom elements. */
function singleFileComponents(): Plugin {
  return {
    name: 'e2e:vue',
    transform(code, id) {
      if (!id.endsWith('.vue')) return
      const [, rule = ''] = /isCustomElement: (\(tag\) => [^}]+) \}/.exec(code) ?? []
      const templateParseOptions = { isCustomElement: new Function(`return ${rule}`)() }
      const { descriptor, errors } = parse(code, { filename: id, templateParseOptions })
      if (errors[0]) throw errors[0]
      const script = compileScript(descriptor, { id: 'snippet', inlineTemplate: true })
      const css = JSON.stringify(descriptor.styles.map(({ content }) => content).join('\n'))
      const style = `Object.assign(document.createElement('style'), { textContent: ${css} })`
      return `document.head.append(${style})\n${script.content}`
    },
  }
}

/** Returns Vue's script for the page, with the compiler for templates in HTML. */
export function vueScript(): string {
  return readFileSync(createRequire(import.meta.url).resolve('vue/dist/vue.global.js'), 'utf8')
}
