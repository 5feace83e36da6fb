/**
 * Builds the documents that the service serves: npx node server/documents/build.ts [FOLDER OF THE GUIDES' PROJECT]. The service needs
 * nothing of this room. Every module that is loaded here is a source of the documents.
 */
import { enableCompileCache, registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const OWN = pathToFileURL(ROOT).href
/** The service starts from the same cache. */
enableCompileCache(join(ROOT, '.dist/compile-cache'))

const modules = new Set<string>([import.meta.url])
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    if (found.url.startsWith(OWN) && !found.url.includes('/node_modules/')) modules.add(found.url)
    return found
  },
})
const { writeDocuments } = await import('./write.ts')
const loaded = [...modules].map((url) => fileURLToPath(url).slice(ROOT.length))
// The catalogues are read as files.
const sources = [...loaded, 'server/messages/'].sort()
writeDocuments(process.argv[2] ?? ROOT, sources)
