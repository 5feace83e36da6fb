/** Other people's frameworks, as a page without a bundler loads them: out of their own packages, where these are installed. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const resolve = createRequire(import.meta.url).resolve

/** React is only shipped as CommonJS. The development build: it is the one whose StrictMode mounts everything twice. */
const REACT = {
  react: ['react', 'cjs/react.development.js'],
  scheduler: ['scheduler', 'cjs/scheduler.development.js'],
  'react-dom': ['react-dom', 'cjs/react-dom.development.js'],
  'react-dom/client': ['react-dom', 'cjs/react-dom-client.development.js'],
} as const

/** A script that puts `require('react')` and `require('react-dom/client')` on the page; null where they are missing. */
export function reactScript(): string | null {
  const modules = Object.entries(REACT).map(([name, [owner, file]]) => {
    const source = readFrom(owner, file)
    return source && `${JSON.stringify(name)}: (require, module, exports, process) => {${source}\n}`
  })
  if (!modules.every(Boolean)) return null
  return `{
    const modules = { ${modules.join(',\n')} }
    const loaded = {}
    window.require = (name) => {
      if (loaded[name]) return loaded[name].exports
      loaded[name] = { exports: {} }
      modules[name](window.require, loaded[name], loaded[name].exports, { env: { NODE_ENV: 'development' } })
      return loaded[name].exports
    }
  }`
}

/** A script that puts `Vue` on the page; null where it is missing. */
export function vueScript(): string | null {
  return readFrom('vue', 'dist/vue.global.js')
}

function readFrom(owner: string, file: string): string | null {
  try {
    return readFileSync(join(dirname(resolve(`${owner}/package.json`)), file), 'utf8')
  } catch {
    return null
  }
}
