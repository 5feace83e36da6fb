/** A backup of PostgreSQL 18 restored on PostgreSQL 15, and a move back. It needs Debian's PostgreSQL 15. */
import { existsSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { preparePlace } from '../postgres/place.ts'
import { runProgram } from '../postgres/program.ts'
import { openDb } from '../storage/db.ts'
import { lookUp } from '../testing/calls.ts'
import { freePort, spawnKassa } from '../testing/harness.ts'
import { operate, operateJson } from '../testing/operator.ts'
import { endProcess, startProgram, type TestProcess } from '../testing/processes/child-process.ts'
import { openBackupScene } from '../testing/scene/backup.ts'

const BIN = '/usr/lib/postgresql/15/bin'
if (!existsSync(BIN)) console.error('Skipped the backup on PostgreSQL 15, because it is not installed.')

describe.skipIf(!existsSync(BIN))('a backup of PostgreSQL 18', () => {
  const scene = openBackupScene()
  let folder: string
  let server: TestProcess
  let url: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kassa-other-'))
    await chmod(folder, 0o755)
    const place = await preparePlace(folder)
    if (place.account) await chown(folder, place.account.uid, place.account.gid)
    const data = join(folder, 'fifteen')
    const made = await runProgram(
      join(BIN, 'initdb'),
      ['-D', data, '-A', 'trust', '-U', 'kassa', '-E', 'UTF8', '--locale=C.UTF-8'],
      place,
    )
    if (made.code !== 0) throw new Error(made.output)
    const port = String(await freePort())
    server = startProgram(
      join(BIN, 'postgres'),
      ['-D', data, '-p', port, '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
      {
        env: {},
        ...(place.account && { uid: place.account.uid, gid: place.account.gid }),
      },
    )
    url = `postgres://kassa@127.0.0.1:${port}/postgres`
    await vi.waitUntil(() => isUp(url), { timeout: 120_000 })
  })
  afterAll(async () => {
    await endProcess(server, 'SIGINT')
    await rm(folder, { recursive: true, force: true })
  })

  async function isUp(address: string): Promise<boolean> {
    const db = openDb(address, { world: 'sandbox', max: 1 })
    return db
      .query('select')
      .then(
        () => true,
        () => false,
      )
      .finally(() => db.end())
  }

  test('is restored on PostgreSQL 15 row for row, serves payments there, and is moved back to PostgreSQL 18', async () => {
    const directory = join(scene.folder, 'eighteen')
    const made = await operateJson(scene.source(), ['backup', 'create', '--to', directory])
    const restored = await operateJson({ DATABASE_URL: url }, ['backup', 'restore', '--from', directory])
    expect(restored).toMatchObject({
      code: 0,
      answer: { faults: [], rows: made.answer.rows, sums: made.answer.sums },
    })
    const there = await spawnKassa({ DATABASE_URL: url })
    for (const id of scene.paid)
      expect((await lookUp(there.url, scene.shop, id)).body.capturedMinor).toBe(1900)
    await there.kill('SIGTERM')
    const back = await scene.emptyDatabase()
    await back.db.end()
    const moved = await operate({ DATABASE_URL: url }, ['database', 'move', '--to', back.url])
    expect([moved.code, moved.stdout]).toEqual([
      0,
      expect.stringContaining('each compared with the original'),
    ])
  })
})
