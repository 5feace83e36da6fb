/**
 * The public folder. Its files are listed once, and only an address that names a file of the list is served. The address is
 * decoded once before it is compared, so another spelling of an address cannot reach another file. Texts are compressed at
 * their first request and kept.
 */
import { readdirSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import express, { type RequestHandler } from 'express'
import { type Packed, pack, sendPacked } from './docs/packed.ts'

const ROOT = new URL('../../', import.meta.url)
const INDEX = 'index.html'
const TEXT_TYPES: Record<string, string> = {
  '.css': 'css',
  '.js': 'js',
  '.html': 'html',
  '.svg': 'image/svg+xml; charset=utf-8',
}
/** A browser asks each time whether its copy is the newest, and mostly gets a 304. */
const REVALIDATE = 'public, max-age=0'
const BROTLI_BEST = 11

/** Serves the files directly in `folder`, or directly in public/ if no folder is given. */
export function publicFiles(folder = ''): RequestHandler {
  const directory = fileURLToPath(new URL(`public/${folder}`, ROOT))
  const served = listAddresses(directory)
  const serve = express.static(directory, { index: INDEX, maxAge: 0 })
  return async (request, response, next) => {
    const address = decoded(request.path)
    if (!served.has(address)) return next()
    const file = join(directory, address === '/' ? INDEX : address)
    const type = TEXT_TYPES[extname(file)]
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    // A directory's address without its slash is redirected by Express.
    if (!type || !isRead || !request.originalUrl.split('?')[0]?.endsWith(request.path))
      return serve(request, response, next)
    await sendPacked(request, response, await packedFile(file), { type, cacheControl: REVALIDATE })
  }
}

/** By path. A file that has changed on the disk is packed again. */
const packed = new Map<string, { changedMs: number; made: Promise<Packed> }>()

async function packedFile(file: string): Promise<Packed> {
  const { mtimeMs: changedMs } = await stat(file)
  const known = packed.get(file)
  if (known?.changedMs === changedMs) return known.made
  const made = readFile(file, 'utf8').then((text) => pack(text, BROTLI_BEST))
  packed.set(file, { changedMs, made })
  made.catch(() => packed.delete(file))
  return made
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
