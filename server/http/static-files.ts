/**
 * The public folder. Its files are listed once, and only an address that names a file of the list is served. The address is
 * decoded once before it is compared, so another spelling of an address cannot reach another file.
 */
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import express, { type RequestHandler } from 'express'

const ROOT = new URL('../../', import.meta.url)
const INDEX = 'index.html'

/** Serves the files directly in `folder`, or directly in public/ if no folder is given. */
export function publicFiles(folder = ''): RequestHandler {
  const directory = fileURLToPath(new URL(`public/${folder}`, ROOT))
  const served = listAddresses(directory)
  const serve = express.static(directory, { index: INDEX, maxAge: 0 })
  return (request, response, next) =>
    served.has(decoded(request.path)) ? serve(request, response, next) : next()
}

function listAddresses(directory: string): Set<string> {
  const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile())
  const addresses = files.map(({ name }) => `/${name}`)
  return new Set(addresses.includes(`/${INDEX}`) ? ['/', ...addresses] : addresses)
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return ''
  }
}
