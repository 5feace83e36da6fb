/** An audit log that a checkpoint has seen guarded, and that somebody has dropped, made anew, cut or exchanged since. */
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { createMerchant } from '../operator/create-merchant.ts'
import { openService, type Service } from '../service.ts'
import { createSession, sessionRequest } from '../testing/calls.ts'
import { openAs, startDesk } from '../testing/console.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { openShop, SECRETS_KEY } from '../testing/harness.ts'
import { operate, operateJson } from '../testing/operator.ts'
import { serveHere } from '../testing/serve-here.ts'
import { openOwnedServer, type TestServer } from '../testing/superuser.ts'
import { makeCheckpoint } from './daily-checkpoint.ts'

const DAY_MS = 24 * 3_600_000

let folder: string
let server: TestServer
const databases: TestDatabase[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-state-'))
  server = await openOwnedServer()
})
afterAll(async () => {
  for (const database of databases) await database.drop()
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

type Scene = {
  settings: Record<string, string>
  checkpoints: string
  name: string
  break(sql: string): Promise<void>
}
let scenes = 0

async function openDatabase(created: Promise<TestDatabase>): Promise<TestDatabase> {
  const database = await created
  databases.push(database)
  return database
}

/** A database whose log is guarded, or not, with rows and a checkpoint outside. */
async function openScene({ isGuarded = true, at = new Date() } = {}): Promise<Scene> {
  const name = `scene-${++scenes}`
  const { url } = await openDatabase(
    isGuarded ? createTestDatabase(server.url) : createEmptyDatabase(server.url),
  )
  const checkpoints = join(folder, name)
  await mkdir(checkpoints)
  const settings = {
    MODE: 'sandbox',
    SECRETS_KEY,
    LOG_LEVEL: 'silent',
    SEED_DEMO: 'false',
    DATABASE_URL: url,
    DATA_DIR: folder,
    AUDIT_CHECKPOINT_DIR: checkpoints,
  }
  await withService(settings, async ({ ctx }) => {
    for (const shop of ['One', 'Two', 'Three']) await createMerchant(ctx, { name: shop })
    await makeCheckpoint(ctx, at)
  })
  return { settings, checkpoints, name, break: (sql) => server.asSuperuser(url, sql) }
}

async function withService(
  settings: Record<string, string>,
  work: (service: Service) => Promise<void>,
): Promise<string[]> {
  const lines: string[] = []
  const service = await openService(readConfig(settings), { onProgress: (line) => lines.push(line) })
  await work(service).finally(() => service.close())
  return lines.filter((line) => line.startsWith('Warning'))
}

const create = (settings: Record<string, string>) =>
  operate(settings, ['merchant', 'create', '--name', 'Late'])

/** Each as somebody who can do everything in the database, but cannot sign. */
const FREE = 'set session_replication_role = replica;'
const BREAKS: Record<string, [string, RegExp]> = {
  'is gone with its schema': ['drop schema kassa_audit cascade', /it is a table of the service|is gone/],
  'was dropped, and made anew by the role of the service': [
    `create table kassa.another (like kassa_audit.log including all); drop schema kassa_audit cascade;
      alter table kassa.another rename to audit_log; alter table kassa.audit_log owner to kassa_service`,
    /says that another role owned the audit log/,
  ],
  'belongs to the role of the service again': [
    'alter schema kassa_audit owner to kassa_service; alter table kassa_audit.log owner to kassa_service',
    /says that another role owned the audit log/,
  ],
  'was emptied': [`${FREE} delete from kassa_audit.log`, /rows were removed/],
  'is shorter than the checkpoint': [
    `${FREE} delete from kassa_audit.log where seq > 2`,
    /rows were removed/,
  ],
  'was exchanged for another one of the same length': [
    `${FREE} update kassa_audit.log set digest = encode(sha256(digest::bytea), 'hex')`,
    /another digest of row \d+/,
  ],
}

/** `npm test` has one that is gone and one that was exchanged. */
const SHORT = ['is gone with its schema', 'was exchanged for another one of the same length']

for (const [name, [sql, why]] of Object.entries(BREAKS))
  test(`a log that ${name} refuses commands that change something, and nothing else`, {
    tags: SHORT.includes(name) ? [] : ['long'],
  }, async () => {
    const scene = await openScene()
    expect(await create(scene.settings)).toMatchObject({ code: 0 })
    await scene.break(sql)
    expect(await create(scene.settings)).toMatchObject({ code: 1, stderr: expect.stringMatching(why) })
    const warnings = await withService(scene.settings, async ({ ctx }) => {
      // The checkpoint of the next day would hide what happened.
      await makeCheckpoint(ctx, new Date(Date.now() + 2 * DAY_MS))
      expect((await readdir(scene.checkpoints)).filter((name) => name.endsWith('.json'))).toHaveLength(1)
    })
    expect(warnings[0]).toMatch(why)
    expect(warnings[0]).toContain('Payments, callbacks and events go on')
    // A start puts an empty log in the place of one that is gone. That changes nothing for people.
    expect(await create(scene.settings)).toMatchObject({ code: 1, stderr: expect.stringMatching(/^The /) })
    const verified = await operateJson(scene.settings, ['audit', 'verify'])
    expect([verified.code, verified.answer.error?.code]).toEqual([1, 'audit_log_faulty'])
    for (const args of [
      ['merchant', 'list'],
      ['audit', 'verify', '--help'],
      ['backup', 'create', '--to', join(folder, `${scene.name}-backup`)],
    ])
      expect(await operate(scene.settings, args), args.join(' ')).toMatchObject({ code: 0 })
  })

test('payments go on without a log', async () => {
  const scene = await openScene()
  let shop = { token: '', merchantId: '' }
  await withService(scene.settings, async ({ ctx }) => {
    shop = await openShop(ctx)
  })
  await scene.break('drop schema kassa_audit cascade')
  const kassa = await serveHere(scene.settings)
  try {
    const body = sessionRequest({ merchantOrderId: 'order-1' })
    const { status } = await createSession(kassa.url, shop as never, { key: 'order-1', body })
    expect(status).toBe(201)
  } finally {
    await kassa.stop()
  }
})

test('a signed-in person reads the reason in the console, and changes nothing', {
  tags: ['long'],
}, async () => {
  const scene = await openScene()
  await withService(scene.settings, async ({ ctx, worlds }) => {
    const desk = await startDesk(worlds)
    try {
      const person = { name: 'Root', role: 'administrator', email: 'root@pay.example' } as const
      const { browser } = await openAs(ctx, desk, person)
      expect((await browser.get('/sandbox/audit')).status).toBe(200)
      await scene.break(`${FREE} delete from kassa_audit.log where seq > 2`)
      expect((await browser.get('/sandbox/audit')).status).toBe(200)
      const refused = await browser.post('/sandbox/users/new', { name: 'Eve' })
      expect([refused.status, refused.text]).toEqual([
        503,
        expect.stringContaining('Nothing can be changed now'),
      ])
      expect(refused.text).not.toContain('npm run')
      expect((await browser.post('/sandbox/audit/verify', {})).text).toContain('The log is not what it was')
    } finally {
      await desk.close()
    }
  })
})

test('a log that never was guarded warns, and people go on', { tags: ['long'] }, async () => {
  const scene = await openScene({ isGuarded: false })
  expect(await withService(scene.settings, async () => {})).toEqual([
    expect.stringMatching(/owns the audit log.*Another owner for the audit log/),
  ])
  expect(await create(scene.settings)).toMatchObject({ code: 0 })
  const { answer } = await operateJson(scene.settings, ['audit', 'verify'])
  expect(answer).toMatchObject({
    ok: true,
    isGuarded: false,
    warnings: [expect.stringContaining('owns the audit log')],
  })
})

test('with the table gone no command on a live world runs without a key, whether or not the log ever was guarded', async () => {
  // No checkpoint says that it was guarded.
  const { url: DATABASE_URL } = await openDatabase(createTestDatabase(server.url, 'live'))
  const own = { DATABASE_URL, DATA_DIR: folder, SECRETS_KEY, LOG_LEVEL: 'silent' }
  const live = { ...own, MODE: 'live', BASE_URL: 'https://pay.example', TRUST_PROXY: '1' }
  const added = await operateJson(live, ['user', 'add', '--name', 'Ani', '--role', 'administrator'])
  expect(added.code).toBe(0)
  await server.asSuperuser(DATABASE_URL, 'drop schema kassa_audit cascade')
  expect(await create(live)).toMatchObject({ code: 1, stderr: expect.stringContaining('no key was given') })
  const keyed = { ...live, KASSA_OPERATOR_KEY: added.answer.key }
  expect(await create(keyed)).toMatchObject({ code: 1, stderr: expect.stringContaining('is gone') })
})

describe('the anchor outside', () => {
  test('that is missing or old is named, with what to do', { tags: ['long'] }, async () => {
    const scene = await openScene({ at: new Date(Date.now() - 5 * DAY_MS) })
    expect(await withService(scene.settings, async () => {})).toEqual([
      expect.stringMatching(/^Warning: The newest checkpoint .* is of .*check that it runs/),
    ])
    await rm(scene.checkpoints, { recursive: true })
    expect(await withService(scene.settings, async () => {})).toEqual([
      expect.stringMatching(/^Warning: There is no checkpoint .*Put the files back/),
    ])
  })

  test('counts if the database has forgotten its own, and one that somebody else has signed or changed does not', async () => {
    const scene = await openScene()
    await scene.break(
      `delete from kassa.audit_checkpoints; ${FREE} delete from kassa_audit.log where seq > 1`,
    )
    expect(await create(scene.settings)).toMatchObject({ code: 1 })
    const [file = ''] = (await readdir(scene.checkpoints)).filter((name) => name.endsWith('.json'))
    const path = join(scene.checkpoints, file)
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace('"isGuarded":true', '"isGuarded":false'))
    await utimes(path, new Date(), new Date())
    expect(await create(scene.settings)).toMatchObject({ code: 0 })
    await writeFile(path, text)
    expect(await create(scene.settings)).toMatchObject({ code: 1 })
  })

  test('does not count if somebody else has written that the log was guarded: people go on', {
    tags: ['long'],
  }, async () => {
    const scene = await openScene({ isGuarded: false })
    const [file = ''] = (await readdir(scene.checkpoints)).filter((name) => name.endsWith('.json'))
    const path = join(scene.checkpoints, file)
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace('"isGuarded":false', '"isGuarded":true'))
    expect(await readFile(path, 'utf8')).not.toBe(text)
    expect(await create(scene.settings)).toMatchObject({ code: 0 })
  })
})
