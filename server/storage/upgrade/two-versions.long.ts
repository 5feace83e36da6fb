/** An upgrade under load: this version and an invented next version share one database, and no request fails. */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createSession, lookUp, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { type Kassa, openShop, type Shop, spawnKassa, startKassa } from '../../testing/harness.ts'
import { EXPANSION } from '../../testing/releases/next-release.ts'
import { VERSION } from '../../version.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const NEXT = '9.0.0'
const CLIENTS = 6
const BEFORE_MS = 3_000
const TOGETHER_MS = 10_000

/** Creates a checkout of the next version: this version with another number and more migrations. */
async function checkOutNext(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kassa-next-'))
  for (const part of ['server', 'public', 'package.json', 'CHANGELOG.md', 'README.md', 'widget'])
    await cp(join(ROOT, part), join(folder, part), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await cp(join(ROOT, '.dist/widget', VERSION), join(folder, '.dist/widget', NEXT), { recursive: true })
  const manifest = await readFile(join(ROOT, 'package.json'), 'utf8')
  await writeFile(
    join(folder, 'package.json'),
    manifest.replace(`"version": "${VERSION}"`, `"version": "${NEXT}"`),
  )
  for (const [path, text] of Object.entries(EXPANSION))
    await writeFile(join(folder, 'server/storage/migrations', path), text)
  return folder
}

type Load = { requests: number; errors: string[]; slowestMs: number; stop(): Promise<void> }

/** Starts clients that create payments, pay some of them and look them up, at all addresses in turn. */
function startLoad(shop: Shop, urls: string[]): Load {
  const load: Load = { requests: 0, errors: [], slowestMs: 0, stop }
  let isOver = false
  const count = async <T extends { status: number }>(request: () => Promise<T>): Promise<T> => {
    const started = performance.now()
    const answer = await request()
    load.requests += 1
    load.slowestMs = Math.max(load.slowestMs, performance.now() - started)
    if (answer.status >= 300) load.errors.push(`${answer.status}`)
    return answer
  }
  const run = async (client: number) => {
    for (let round = 0; !isOver; round++) {
      const at = (step: number) => urls[(round + step) % urls.length] ?? ''
      const key = `load-${client}-${round}`
      const made = await count(() =>
        createSession(at(0), shop, { key, body: sessionRequest({ merchantOrderId: key }) }),
      )
      if (round % 4 === 0) await payAtBank(made.body.providerCheckoutUrl, 'paid')
      await count(() => lookUp(at(1), shop, made.body.id))
    }
  }
  const clients = Array.from({ length: CLIENTS }, (_, client) =>
    run(client).catch((error: Error) => void load.errors.push(`${error.message}: ${error.cause ?? ''}`)),
  )
  return load

  async function stop() {
    isOver = true
    await Promise.all(clients)
  }
}

/** Measures the longest wait for a lock. */
function watchLocks({ ctx: { db } }: Kassa): { longestMs: number; stop(): Promise<void> } {
  const watch = { longestMs: 0, stop }
  let isOver = false
  const measuring = (async () => {
    while (!isOver) {
      const { rows } = await db.query<{ ms: number | null }>(
        `select max(extract(epoch from clock_timestamp() - waitstart) * 1000)::float8 as ms from pg_locks
         where not granted and database = (select oid from pg_database where datname = current_database())`,
      )
      watch.longestMs = Math.max(watch.longestMs, rows[0]?.ms ?? 0)
      await sleep(5)
    }
  })()
  return watch

  async function stop() {
    isOver = true
    await measuring
  }
}

test('an upgrade while both versions serve loses no request, and the old version still works afterwards', async () => {
  const kassa = await startKassa()
  const folder = await checkOutNext()
  const shop = await openShop(kassa.ctx)
  const settings = { DATABASE_URL: kassa.databaseUrl, DATA_DIR: folder }
  const old = await spawnKassa(settings)
  const urls = [old.url]
  const load = startLoad(shop, urls)
  const locks = watchLocks(kassa)
  await sleep(BEFORE_MS)
  const before = load.requests
  const next = await spawnKassa(settings, join(folder, 'server/main.ts'))
  const during = load.requests - before
  urls.push(next.url)
  await sleep(TOGETHER_MS)
  await load.stop()
  await locks.stop()
  const { rows } = await kassa.ctx.db.query(
    'select applied_by as by, count(*)::int as count from kassa.migrations group by 1 order by 1',
  )
  console.error(
    `${load.requests} requests (${before} before, ${during} while the next version started), ${load.errors.length} errors; ` +
      `longest wait for a lock ${Math.round(locks.longestMs)} ms, slowest request ${Math.round(load.slowestMs)} ms`,
  )
  expect(load.errors).toEqual([])
  expect(rows).toContainEqual({ by: NEXT, count: Object.keys(EXPANSION).length })
  expect(locks.longestMs).toBeLessThan(1_500)
  // After the upgrade the old version can still be started, so an operator can go back.
  await old.kill('SIGTERM')
  const again = await spawnKassa(settings)
  expect((await createSession(again.url, shop, { key: 'back' })).status).toBe(201)
  await Promise.all([again.kill('SIGTERM'), next.kill('SIGTERM')])
  await kassa.close()
  await rm(folder, { recursive: true })
})
