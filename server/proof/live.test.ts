/** `account test --pay` and recordings are refused in the live world, before anything is asked or written. */
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { holdRecording, newRecordingKey } from '../accounts/recording.ts'
import { operateHere } from '../testing/operator.ts'
import { openTwoWorlds } from '../testing/scene/live.ts'

const both = await openTwoWorlds()

test('a real order is refused, with what to do instead, and no folder is made', async () => {
  const { live, worlds } = both.kassa
  const folder = join(tmpdir(), `kassa-live-${process.pid}`)
  const args = ['account', 'test', '--account', live.routes.manual.id, '--pay', '--record', folder]
  const { code, stdout, stderr } = await operateHere(async () => worlds, args)
  expect([code, stdout, existsSync(folder)]).toEqual([1, '', false])
  expect(stderr).toContain('refused in the live world, because they would take real money')
  expect(stderr).toContain('--sandbox account list')
})

test('an account of the live world cannot be recorded at all', async () => {
  const { live } = both.kassa
  await expect(
    holdRecording(live, live.routes.manual.id, newRecordingKey(), new Date(Date.now() + 60_000)),
  ).rejects.toThrow('live world')
})
