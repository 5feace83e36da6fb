/** The public folder, which is served as it is, to our own pages. */
import { fileURLToPath } from 'node:url'
import express, { type RequestHandler } from 'express'

const ROOT = new URL('../../', import.meta.url)

/** The public folder, or one below it, as it is. */
export function publicFiles(folder = ''): RequestHandler {
  return express.static(fileURLToPath(new URL(`public/${folder}`, ROOT)), { index: 'index.html', maxAge: 0 })
}
