import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeEach, expect, inject, test } from 'vitest'
import { systemClock } from '../context.ts'
import { createLog } from '../log/log.ts'
import { openDb } from '../storage/db.ts'
import { createTestDatabase } from '../testing/database.ts'
import { VERSION } from '../version.ts'
import { readWidgetBuilds } from './widget-build.ts'
import { pinnedWidget, releaseWidget } from './widget-release.ts'

const OLD = '0.0.9'
const baseUrl = 'https://pay.example'
const sha384 = (text: string) => `sha384-${createHash('sha384').update(text).digest('base64')}`

const database = await createTestDatabase(inject('postgresUrl'))
const db = openDb(database.url, { world: 'sandbox' })
afterAll(async () => {
  await db.end()
  await database.drop()
})

let folder: string
let warnings: string[]
beforeEach(async () => {
  await db.query('delete from kassa.widget_releases')
  folder = mkdtempSync(join(tmpdir(), 'kassa-widget-'))
  warnings = []
})
afterEach(() => rmSync(folder, { recursive: true }))

function build(version: string, code: string, endings = ['', '.br', '.gz']): void {
  const bodies = { '': Buffer.from(code), '.br': brotliCompressSync(code), '.gz': gzipSync(code) }
  mkdirSync(join(folder, version), { recursive: true })
  for (const ending of endings)
    writeFileSync(join(folder, version, `kassa.js${ending}`), bodies[ending as keyof typeof bodies])
}

const throwAway = (version: string) => rmSync(join(folder, version), { recursive: true })

/** Does what a service does at its start. */
function start() {
  const log = createLog('warn', (line) => warnings.push(JSON.parse(line).msg))
  return releaseWidget({ db, log, clock: systemClock }, readWidgetBuilds(pathToFileURL(`${folder}/`)))
}

const scriptOf = async (releases: Awaited<ReturnType<typeof start>>, version: string) =>
  (await releases.find(version))?.bodies.identity.toString()

test('a released version stays available after its build folder is gone', async () => {
  build(OLD, 'old')
  await start()
  throwAway(OLD)
  build(VERSION, 'new')
  const releases = await start()
  expect(await scriptOf(releases, OLD)).toBe('old')
  expect(releases.list().map(({ version, integrity }) => [version, integrity])).toEqual([
    [VERSION, sha384('new')],
    [OLD, sha384('old')],
  ])
})

test('a changed build of a released version changes the moving address, but no pinned script', async () => {
  build(VERSION, 'first')
  await start()
  build(VERSION, 'changed')
  const releases = await start()
  expect(await scriptOf(releases, VERSION)).toBe('first')
  expect(releases.newest?.bodies.identity.toString()).toBe('changed')
  expect(warnings).toEqual([expect.stringContaining('raise the version in package.json')])
  expect(await pinnedWidget({ db, baseUrl })).toEqual({
    version: VERSION,
    scriptUrl: `${baseUrl}/widget/${VERSION}/kassa.js`,
    integrity: sha384('first'),
  })
})

test('services that start at the same time with different builds of a version agree on one build', async () => {
  build(VERSION, 'one')
  const one = start()
  build(VERSION, 'other')
  const other = start()
  const [first, second] = await Promise.all([one, other])
  expect(await scriptOf(first, VERSION)).toBe(await scriptOf(second, VERSION))
  expect(warnings.length).toBe(1)
})

test('a version that another process releases later is found without a restart', async () => {
  build(OLD, 'old')
  const older = await start()
  expect(await older.find('99.0.0')).toBeUndefined()
  build('99.0.0', 'newer')
  await start()
  expect(await scriptOf(older, '99.0.0')).toBe('newer')
  expect(older.list().map(({ version }) => version)).toEqual(['99.0.0', OLD])
})

test('an incomplete build and a folder without a version name are not released', async () => {
  build(VERSION, 'half', ['', '.br'])
  build('latest', 'latest')
  const releases = await start()
  expect(releases.list()).toEqual([])
  expect(releases.newest).toBeUndefined()
  expect(warnings).toEqual([expect.stringContaining('npm run build')])
})
