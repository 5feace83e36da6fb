/** A process that is killed between the commit of a revocation and its line in the list outside: the next process writes the line. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSession } from '../testing/calls.ts'
import { type Kassa, openShop, SECRETS_KEY, type Shop, spawnKassa, startKassa } from '../testing/harness.ts'
import { endProcess, startProcess } from '../testing/processes/child-process.ts'
import { checkpointKey } from './checkpoint.ts'
import { parseRevocations, REVOCATIONS, writeRevocations } from './revocations.ts'

const COMMAND = new URL('../admin.ts', import.meta.url).pathname

let folder: string
let kassa: Kassa
let shop: Shop
let settings: Record<string, string>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-killed-'))
  kassa = await startKassa({ settings: { SECRETS_KEY, AUDIT_CHECKPOINT_DIR: folder } })
  shop = await openShop(kassa.ctx)
  settings = { DATABASE_URL: kassa.databaseUrl, DATA_DIR: folder, AUDIT_CHECKPOINT_DIR: folder }
})
afterAll(async () => {
  await kassa.close()
  await rm(folder, { recursive: true, force: true })
})

const list = () => join(folder, REVOCATIONS)
async function lines() {
  const text = await readFile(list(), 'utf8')
  const { lines: found, faults } = parseRevocations(text, { name: 'list', keys: [checkpointKey(kassa.ctx)] })
  expect(faults).toEqual([])
  return found
}
const unwritten = async () =>
  (await kassa.ctx.db.query('select kind from kassa.revocations where line is null')).rows
/** Whether some process has begun to write the list, and has not ended. */
const isWriting = async () =>
  (
    await kassa.ctx.db.query(
      `select from pg_locks where locktype = 'advisory' and granted and (classid, objid) = (x'6b617373'::int::oid, x'7265766f'::int::oid)`,
    )
  ).rowCount === 1

/** The list is a pipe that nobody writes to, so whoever reads it hangs after the commit of what is revoked. */
async function whileListHangs(work: () => Promise<void>): Promise<void> {
  await rename(list(), join(folder, 'aside'))
  await promisify(execFile)('mkfifo', [list()])
  await work()
  await rm(list())
  await rename(join(folder, 'aside'), list())
}

test('a command that is killed there has revoked the token, and the service that starts next writes the line once', async () => {
  await writeRevocations(kassa.ctx)
  const had = (await lines()).length
  const { rows } = await kassa.ctx.db.query('select id from sandbox.api_keys')
  const token: string = rows[0].id
  await whileListHangs(async () => {
    const command = startProcess(COMMAND, {
      args: ['token', 'revoke', '--token', token],
      env: { MODE: 'sandbox', SECRETS_KEY, ...settings },
    })
    await expect.poll(isWriting).toBe(true)
    await endProcess(command, 'SIGKILL')
    await expect.poll(isWriting).toBe(false)
  })
  // The token is dead, and the list does not know it yet.
  expect((await createSession(kassa.url, shop, { key: 'revoked' })).status).toBe(401)
  expect([await unwritten(), (await lines()).length]).toEqual([[{ kind: 'token' }], had])

  const service = await spawnKassa(settings)
  await expect.poll(unwritten).toEqual([])
  expect((await lines()).slice(had)).toMatchObject([{ kind: 'token', about: { id: token } }])
  await service.kill('SIGTERM')
})

test('a service that is killed while it writes leaves the line to the next one', async () => {
  const had = (await lines()).length
  await whileListHangs(async () => {
    const service = await spawnKassa(settings)
    await kassa.ctx.db.query(`update sandbox.installations set revoked_at = now()`)
    await expect.poll(isWriting).toBe(true)
    await service.kill('SIGKILL')
    await expect.poll(isWriting).toBe(false)
  })
  expect([await unwritten(), (await lines()).length]).toEqual([[{ kind: 'public_key' }], had])

  const service = await spawnKassa(settings)
  await expect.poll(unwritten).toEqual([])
  expect((await lines()).slice(had)).toMatchObject([{ kind: 'public_key' }])
  await service.kill('SIGTERM')
})
