/** A move of everything to another PostgreSQL, and the state after the command was killed. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDb } from '../storage/db.ts'
import { killAfter, momentsOf, openBackupScene, timeCommand } from '../testing/backup-scene.ts'
import { lookUp } from '../testing/calls.ts'
import { spawnKassa } from '../testing/harness.ts'
import { operate } from '../testing/operator.ts'

/** `kills`: how often the command is killed while it runs. */
export function testMove(kills: number, scene = openBackupScene()): void {
  describe('a move to another PostgreSQL', () => {
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
      // Rows are there only if the kill came after the copy's commit. The old database may then be without its mark.
      const moved = count === 0 ? await operate(settings, args) : null
      if (moved)
        expect(moved).toMatchObject({
          code: 0,
          stdout: expect.stringContaining('each compared with the original'),
        })

      if (moved) {
        const numbers = [from.url, to.url].map(async (url) => {
          const db = openDb(url, { world: 'sandbox', max: 1 })
          return scene.nextNumber(db).finally(() => db.end())
        })
        expect(await numbers[1]).toBe(await numbers[0])
        const refusal = await spawnKassa(settings).catch((error: Error) => error.message)
        expect(refusal).toContain('Everything in this database was moved to')
        expect(await operate(settings, ['database', 'reopen'])).toMatchObject({ code: 0 })
        await (await spawnKassa(settings)).kill('SIGTERM')
      }
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
