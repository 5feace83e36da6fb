/** A move of everything to another PostgreSQL, and the state after the command was killed. */
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { openDb } from '../storage/db.ts'
import { killAfter, momentsOf, openBackupScene, timeCommand } from '../testing/backup-scene.ts'
import { createSession, lookUp, sessionRequest } from '../testing/calls.ts'
import { openShop, spawnKassa, startKassa } from '../testing/harness.ts'
import { operate } from '../testing/operator.ts'
import { moveDatabase } from './move.ts'

/** `kills`: how often the command is killed while it runs. */
export function testMove(kills: number, scene = openBackupScene()): void {
  describe('a move to another PostgreSQL', () => {
    test('loses no payment that a service on the old database accepts while the move runs', async () => {
      // The move does not see this service's connections, because it runs in the same process. A pooler hides them in the same way.
      const kassa = await startKassa()
      const shop = await openShop(kassa.ctx)
      const to = await scene.emptyDatabase()
      const answers: { status: number; id?: string }[] = []
      const sell = async (key: string) => {
        const body = sessionRequest({ merchantOrderId: key })
        const { status, body: answer } = await createSession(kassa.url, shop, { key, body })
        answers.push({ status, id: answer.id })
      }
      await sell('before')
      let isOver = false
      const load = (async () => {
        for (let count = 0; !isOver; count++) await sell(`while-${count}`)
      })()
      const sales: Promise<void>[] = []
      const onProgress = (line: string) => void sales.push(sell(line))
      const wanted = { target: 'the-other', now: () => new Date(), onProgress }
      const moved = await moveDatabase(kassa.ctx.db, to.db, wanted).finally(() => {
        isOver = true
      })
      await Promise.all([load, ...sales])
      await sell('after')
      const accepted = answers.filter(({ status }) => status === 201).map(({ id }) => id)
      const { rows } = await to.db.query<{ id: string }>('select id from sandbox.payments')
      expect(moved.faults).toEqual([])
      expect(rows.map(({ id }) => id).sort()).toEqual(accepted.sort())
      // Nothing else was answered, and both kinds occurred.
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 503]))
      expect(answers.at(-1)?.status).toBe(503)
      await to.db.end()
      await kassa.close()
    })

    test('that fails because the other database is in use leaves the old one as it was', async () => {
      const kassa = await startKassa()
      const shop = await openShop(kassa.ctx)
      const to = await scene.emptyDatabase()
      const other = new pg.Client({ connectionString: to.url, application_name: 'kassa other' })
      await other.connect()
      const wanted = { target: 'the-other', now: () => new Date(), onProgress: () => {} }
      await expect(moveDatabase(kassa.ctx.db, to.db, wanted)).rejects.toThrow('Another process of Kassa')
      const body = sessionRequest({ merchantOrderId: 'still-here' })
      expect((await createSession(kassa.url, shop, { key: 'still-here', body })).status).toBe(201)
      await other.end()
      await to.db.end()
      await kassa.close()
    })

    test(`works after ${kills} kills, and then no service starts on the old database`, async () => {
      const directory = join(scene.folder, 'for-the-move')
      await operate(scene.source(), ['backup', 'create', '--to', directory])
      const [from, to] = [await scene.emptyDatabase(), await scene.emptyDatabase()]
      await Promise.all([from.db.end(), to.db.end()])
      const settings = { DATABASE_URL: from.url }
      await operate(settings, ['backup', 'restore', '--from', directory])
      const args = ['database', 'move', '--to', to.url]

      const wholeMs = await timeCommand(settings, ['backup', 'create', '--to', join(scene.folder, 'as-long')])
      for (const ms of momentsOf(wholeMs, kills)) await killAfter(ms, settings, args)
      const target = openDb(to.url, { world: 'sandbox', max: 1 })
      const { rows } = await target.query(`select to_regclass('kassa.merchants') is not null as found`)
      const { count } = rows[0]?.found
        ? (await target.query('select count(*)::int as count from kassa.merchants')).rows[0]
        : { count: 0 }
      await target.end()
      // Rows are there only if the kill came after the copy's commit. The repeated move then only compares them.
      expect([0, 1]).toContain(count)
      expect(await operate(settings, args)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('each compared with the original'),
      })
      const numbers = [from.url, to.url].map(async (url) => {
        const db = openDb(url, { world: 'sandbox', max: 1 })
        return scene.nextNumber(db).finally(() => db.end())
      })
      expect(await numbers[1]).toBe(await numbers[0])
      const refusal = await spawnKassa(settings).catch((error: Error) => error.message)
      expect(refusal).toContain('Everything in this database was moved to')
      expect(await operate(settings, ['database', 'reopen'])).toMatchObject({ code: 0 })
      await (await spawnKassa(settings)).kill('SIGTERM')
      const there = await spawnKassa({ DATABASE_URL: to.url })
      try {
        for (const id of scene.paid)
          expect((await lookUp(there.url, scene.shop, id)).body.capturedMinor).toBe(1900)
      } finally {
        await there.kill('SIGTERM')
      }
    })
  })
}
