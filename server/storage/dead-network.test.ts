/** A network that drops packets: the connection stays open, and no response comes back. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, inject, test } from 'vitest'
import { createTestDatabase, throughTcp } from '../testing/database.ts'
import { inTransaction, openDb } from './db.ts'

test.each(['begin', 'commit'])(
  'ends a transaction whose %s is swallowed',
  async (swallowed) => {
    const database = await createTestDatabase(inject('postgresUrl'), 'sandbox')
    const target = throughTcp(database.url)
    const sockets: Socket[] = []
    let silent = false
    const proxy = createServer((inner) => {
      const outer = connect(Number(target.port), target.hostname)
      for (const socket of [inner, outer]) sockets.push(socket.on('error', () => {}))
      inner.on('data', (data) => silent || outer.write(data))
      outer.on('data', (data) => silent || inner.write(data))
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const through = throughTcp(database.url)
    through.hostname = '127.0.0.1'
    through.port = String((proxy.address() as AddressInfo).port)
    const db = openDb(through.href, { world: 'sandbox', max: 1, queryTimeoutMs: 300 })
    try {
      await db.query('select 1')
      silent = swallowed === 'begin'
      const working = inTransaction(db, async () => {
        silent = true
      })
      await expect(working).rejects.toMatchObject({ code: 'storage_unavailable' })
      silent = false
      expect((await db.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    } finally {
      for (const socket of sockets) socket.destroy()
      await db.end()
      proxy.close()
      await database.drop()
    }
  },
  10_000,
)
