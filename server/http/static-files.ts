/** The public folder, which is served as it is, to our own pages: the files in it, and a folder only where it is named. */
import { fileURLToPath } from 'node:url'
import express, { type RequestHandler } from 'express'

const ROOT = new URL('../../', import.meta.url)

/** A file's name, without a folder: the path is decoded before it is judged, as the file server decodes it. */
const FILE = /^\/[A-Za-z0-9][A-Za-z0-9._-]*$/

/** `folder`: one folder with everything in it; without it only the files that stand directly in public/. */
export function publicFiles(folder = ''): RequestHandler {
  const serve = express.static(fileURLToPath(new URL(`public/${folder}`, ROOT)), {
    index: 'index.html',
    maxAge: 0,
  })
  if (folder) return serve
  return (request, response, next) =>
    FILE.test(decoded(request.path)) ? serve(request, response, next) : next()
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return ''
  }
}
