import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { startMetrics } from './metrics/serve.ts'
import { call } from './testing/calls.ts'
import { throughTcp } from './testing/database.ts'
import { openKassa } from './testing/scene.ts'
import { type ServedHere, serveHere } from './testing/serve-here.ts'

/** A proxy before the database. `cut()` closes every connection, and new ones get no response until `mend()`. */
async function standBefore(databaseUrl: string) {
  const target = throughTcp(databaseUrl)
  const sockets = new Set<Socket>()
  let isCut = false
  const waiting: Socket[] = []
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    return socket
  }
  const server = createServer((client) => {
    keep(client)
    if (isCut) waiting.push(client)
    else join(client)
  })
  function join(client: Socket) {
    const upstream = keep(connect(Number(target.port), target.hostname))
    client.pipe(upstream).pipe(client)
    client.on('close', () => upstream.destroy())
  }
  const drop = () => {
    for (const socket of sockets) socket.destroy()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = throughTcp(databaseUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    cut() {
      isCut = true
      drop()
    },
    mend() {
      isCut = false
      for (const client of waiting.splice(0)) join(client)
    },
    close() {
      drop()
      server.close()
    },
  }
}

const get = (url: string) => call(url, { method: 'GET' })

let running: ServedHere
const kassa = await openKassa()
const database = await standBefore(kassa.databaseUrl)
running = await serveHere({ DATABASE_URL: database.url })
afterAll(async () => {
  database.mend()
  await running.stop()
  database.close()
})

test('a service that is ready says so, and a probe takes nothing but GET and HEAD', async () => {
  expect(await get(`${running.url}/livez`)).toMatchObject({ status: 200, body: { live: true } })
  expect(await get(`${running.url}/readyz`)).toMatchObject({ status: 200, body: { ready: true } })
  const refused = await call(`${running.url}/readyz`, { method: 'POST' })
  expect([refused.status, refused.body.error.code]).toEqual([405, 'method_not_allowed'])
})

test('a service whose database does not answer is live but not ready, says why, and becomes ready again', async () => {
  database.cut()
  // An answer may be up to 0.2 s old.
  await expect
    .poll(() => get(`${running.url}/readyz`))
    .toMatchObject({ status: 503, body: { ready: false, blockers: ['the database does not answer'] } })
  expect((await get(`${running.url}/livez`)).status).toBe(200)
  database.mend()
  await expect.poll(async () => (await get(`${running.url}/readyz`)).status).toBe(200)
})

test('a service that is still starting is live but not ready, and says that it is starting', async () => {
  const port = String(new URL(running.url).port)
  await running.stop()
  database.cut()
  const starting = serveHere({ DATABASE_URL: database.url, PORT: port })
  const readiness = () => get(`${running.url}/readyz`).catch(() => null)
  await expect.poll(readiness).toMatchObject({
    status: 503,
    body: { ready: false, blockers: ['the service is starting'] },
  })
  expect((await get(`${running.url}/livez`)).status).toBe(200)
  database.mend()
  running = await starting
})

test('the port of the metrics answers the probes too, for processes that serve nothing else', async () => {
  const config = { ...kassa.ctx.config, metricsPort: 0 }
  const metrics = await startMetrics({ sandbox: { ...kassa.ctx, config } })
  try {
    const address = `http://127.0.0.1:${metrics?.port}`
    expect((await get(`${address}/livez`)).status).toBe(200)
    expect((await get(`${address}/readyz`)).status).toBe(200)
  } finally {
    await metrics?.close()
  }
})
