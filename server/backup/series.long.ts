import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { measureBackupAge } from '../storage/backup/facts.ts'
import { operate, operateJson } from '../testing/operator.ts'
import { passRealTime } from '../testing/real-time.ts'
import { openBackupScene } from '../testing/scene/backup.ts'

const scene = openBackupScene()

test('a series of backups is named by time, the newest stay, and other directories are not touched', async () => {
  const series = join(scene.folder, 'series')
  const others = ['kassa-monday', 'kassa-backup-20250101T000000Z', 'kassa-backup-20250102T000000Z.partial']
  for (const name of others) await mkdir(join(series, name), { recursive: true })
  const make = () => operateJson(scene.source(), ['backup', 'create', '--in', series, '--keep', '1'])
  const first = await make()
  expect(first.answer.directory).toMatch(/\/kassa-backup-\d{8}T\d{6}Z$/)
  expect(first.answer.deleted).toEqual(['kassa-backup-20250102T000000Z.partial'])
  expect(await measureBackupAge(scene.kassa.ctx.db)).toBeLessThan(60)
  // The names have seconds.
  passRealTime(1_000)
  const second = await make()
  expect(second.answer.deleted).toEqual([first.answer.directory.slice(series.length + 1)])
  // The directory without a manifest is no backup, so it is neither counted nor deleted.
  expect((await readdir(series)).sort()).toEqual(
    [...others.slice(0, 2), second.answer.directory.slice(series.length + 1)].sort(),
  )
  const verified = await operate(scene.source(), ['backup', 'verify', '--in', series])
  expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('The backup is complete')])
})

test('wrong flags for a series are explained, and nothing is backed up', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kassa-series-'))
  const tries: [string[], string][] = [
    [['--to', join(folder, 'one'), '--in', folder], 'either --to'],
    [['--keep', '3'], '--keep needs --in'],
    [['--in', folder, '--keep', 'all'], 'whole number'],
  ]
  for (const [flags, message] of tries)
    expect(await operate(scene.source(), ['backup', 'create', ...flags])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(message),
    })
  expect(await readdir(folder)).toEqual([])
  const empty = await operate(scene.source(), ['backup', 'verify', '--in', folder])
  expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining('There is no backup')])
  await rm(folder, { recursive: true })
})
