/** A backup that is made after going back to the release before: it says which version alone can restore it. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { migrate } from '../storage/migrate.ts'
import { operateJson } from '../testing/operator.ts'
import { makeNextRelease } from '../testing/releases/next-release.ts'
import { openBackupScene } from '../testing/scene/backup.ts'

const scene = openBackupScene()

test('names the version that has upgraded the database, and this version cannot verify it', async () => {
  const create = (name: string) =>
    operateJson(scene.source(), ['backup', 'create', '--to', join(scene.folder, name)])
  expect((await create('before')).answer.needsVersion).toBe(null)
  const next = await makeNextRelease('9.0.0', {
    'world/0900_gifts.sql': '-- oldest version: 0.2.0\nalter table world.payments add column gift_note text;',
  })
  await migrate(scene.kassa.ctx.db, ['sandbox'], { release: next })
  await next.remove()
  const { code, answer } = await create('after')
  expect([code, answer.needsVersion]).toEqual([0, '9.0.0'])
  const verified = await operateJson(scene.source(), ['backup', 'verify', '--from', answer.directory])
  expect([verified.code, verified.answer.error.message]).toEqual([
    1,
    expect.stringContaining('sandbox/0900_gifts.sql, which this version does not have'),
  ])
})
