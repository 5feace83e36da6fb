import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request as rawRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import express, { type ErrorRequestHandler } from 'express'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeWidgetBuild, type WidgetBuild } from '../channels/widget-build.ts'
import type { WidgetReleases } from '../channels/widget-release.ts'
import type { AppError } from '../errors.ts'
import { VERSION } from '../version.ts'
import { widgetFiles } from './widget-files.ts'

const OLD = '0.0.9'
const script = (version: string) => `/* the widget ${version} */`
const sha384 = (text: string) => `sha384-${createHash('sha384').update(text).digest('base64')}`

let builds: Map<string, WidgetBuild>
let close: () => void = () => {}
beforeEach(() => {
  builds = new Map()
})
afterEach(() => close())

function build(version: string): void {
  const code = script(version)
  const bodies = { identity: Buffer.from(code), br: brotliCompressSync(code), gzip: gzipSync(code) }
  builds.set(version, describeWidgetBuild(version, bodies))
}

/** Serves the built widget. Returns a function that requests it. */
async function serve() {
  const app = express()
  const releases: WidgetReleases = {
    newest: builds.get(VERSION),
    texts: new Map([['hy', { pay: 'Վճարել %s' }]]),
    list: () => [...builds.values()],
    find: async (version) => builds.get(version),
  }
  app.use('/widget', widgetFiles(releases))
  const reply: ErrorRequestHandler = (error: AppError, _request, response, _next) => {
    response
      .status(error.code === 'not_found' ? 404 : 405)
      .json({ code: error.code, hint: error.details.hint })
  }
  app.use(reply)
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  close = () => server.close()
  const { port } = server.address() as AddressInfo
  return async (path: string, { method = 'GET', ...headers }: Record<string, string> = {}) => {
    // fetch is not used, because it would decode the body.
    const request = rawRequest({ port, host: '127.0.0.1', path, method, headers }).end()
    const [response] = await once(request, 'response')
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }
  }
}

test('a version has a permanent address and is served to every origin', async () => {
  build(VERSION)
  const ask = await serve()
  const { status, headers, body } = await ask(`/widget/${VERSION}/kassa.js`)
  expect([status, body.toString()]).toEqual([200, script(VERSION)])
  expect(headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'timing-allow-origin': '*',
    'x-content-type-options': 'nosniff',
    vary: 'Accept-Encoding',
  })
})

test.each([
  ['br', 'gzip, deflate, br', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
])('%s is sent to clients that accept %s, and contains the same script', async (coding, accepted, decode) => {
  build(VERSION)
  const ask = await serve()
  const { headers, body } = await ask('/widget/v1/kassa.js', { 'accept-encoding': accepted })
  expect(headers['content-encoding']).toBe(coding)
  expect(decode(body).toString()).toBe(script(VERSION))
})

test('the alias is the current version, is cached for a short time, and responds 304 to a client that has it', async () => {
  build(OLD)
  build(VERSION)
  build('99.0.0')
  const ask = await serve()
  const first = await ask('/widget/v1/kassa.js', { 'accept-encoding': 'br' })
  expect(first.headers['cache-control']).toBe('public, max-age=300, stale-while-revalidate=86400')
  expect(brotliDecompressSync(first.body).toString()).toBe(script(VERSION))
  const etag = String(first.headers.etag)
  const again = await ask('/widget/v1/kassa.js', { 'accept-encoding': 'br', 'if-none-match': etag })
  expect([again.status, again.body.length]).toEqual([304, 0])
  const otherCoding = await ask('/widget/v1/kassa.js', { 'if-none-match': etag })
  expect(otherCoding.status).toBe(200)
})

test('the list has every version with its hash and size', async () => {
  build(VERSION)
  build(OLD)
  const ask = await serve()
  const { headers, body } = await ask('/widget/versions.json')
  expect(headers).toMatchObject({
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  })
  const entry = (version: string) => ({
    version,
    path: `/widget/${version}/kassa.js`,
    integrity: sha384(script(version)),
    bytes: script(version).length,
  })
  expect(JSON.parse(body.toString())).toEqual({ current: VERSION, versions: [entry(VERSION), entry(OLD)] })
  expect((await ask(`/widget/${OLD}/kassa.js`)).body.toString()).toBe(script(OLD))
})

test('without a build the error says whom to ask', async () => {
  const ask = await serve()
  const { status, body } = await ask('/widget/v1/kassa.js')
  expect([status, JSON.parse(body.toString()).hint]).toEqual([
    404,
    expect.stringContaining('Ask whoever runs'),
  ])
  expect(JSON.parse((await ask('/widget/versions.json')).body.toString())).toEqual({
    current: null,
    versions: [],
  })
})

test('other methods are rejected, and other addresses are not found', async () => {
  build(VERSION)
  const ask = await serve()
  const refused = await ask('/widget/v1/kassa.js', { method: 'POST' })
  expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD'])
  expect((await ask('/widget/v1/kassa.js', { method: 'HEAD' })).status).toBe(200)
  for (const path of ['/widget/0.0.1/kassa.js', `/widget/${VERSION}/`, '/widget/..%2fpackage.json'])
    expect((await ask(path)).status).toBe(404)
})

test('the texts of a language are served to every origin, and other languages are not there', async () => {
  build(VERSION)
  const ask = await serve()
  const { status, headers, body } = await ask('/widget/v1/hy.json')
  expect([status, JSON.parse(body.toString())]).toEqual([200, { pay: 'Վճարել %s' }])
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'public, max-age=300, stale-while-revalidate=86400',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  })
  for (const path of ['/widget/v1/xx.json', '/widget/v1/en.json', '/widget/v1/constructor.json'])
    expect([path, (await ask(path)).status]).toEqual([path, 404])
  expect((await ask('/widget/v1/hy.json', { method: 'POST' })).status).toBe(405)
})
