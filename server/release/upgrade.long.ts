/**
 * `kassa upgrade` and `kassa back` while buyers pay: from the build before this one, and to an invented next version of this one with
 * one more migration. Nothing is lost, and nothing is done twice.
 */
import { execFile } from 'node:child_process'
import {
  chmod,
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createPreparedDatabase, type TestDatabase } from '../testing/database.ts'
import { freePort, SECRETS_KEY } from '../testing/harness.ts'
import { type BuildBefore, checkOutBefore } from '../testing/releases/build-before.ts'
import { openShopUnderLoad } from '../testing/releases/shop-under-load.ts'
import { VERSION } from '../version.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TESTS = /\.(test|suite|long)\.tsx?$|server\/(testing|bench)(\/|$)/
const MIGRATION = '-- oldest version: 0.2.0\nalter table world.payments add column gift_note text;\n'

const AHEAD = VERSION.replace(/\d+$/, (patch) => String(Number(patch) + 1))

/** A checkout that becomes an unpacked archive. `widget`: the version of the button that was built there. */
type Source = { root: string; version: string; extra?: Record<string, string> }
type Machine = {
  at(name: string): string
  url: string
  database: TestDatabase
  run(file: string, args: string[]): Promise<{ code: number; output: string }>
  end(): Promise<void>
}

let before: BuildBefore | null
beforeAll(async () => {
  before = await checkOutBefore()
})
afterAll(() => before?.remove())

async function openMachine(): Promise<Machine> {
  const folder = await mkdtemp(join(tmpdir(), 'kassa-upgrade-'))
  const at = (name: string) => join(folder, name)
  const database = await createPreparedDatabase(inject('postgresUrl'))
  const port = await freePort()
  const settings = {
    PORT: port,
    DATABASE_URL: database.url,
    DATA_DIR: at('data'),
    SECRETS_KEY,
    LOG_LEVEL: 'warn',
    RATE_LIMITS: 'off',
    CONSOLE_PORT: 'off',
    SEED_DEMO: 'false',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name}='${value}'\n`)
  await writeFile(at('kassa.env'), lines.join(''))
  const program = async (name: string, body: string) => {
    await writeFile(at(`bin/${name}`), `#!/bin/sh\n${body}\n`)
    await chmod(at(`bin/${name}`), 0o755)
  }
  await mkdir(at('bin'))
  // Plays systemd: ends the service, and starts what the link leads to.
  await program(
    'systemctl',
    `[ ! -f ${at('pid')} ] || { kill "$(cat ${at('pid')})"; while kill -0 "$(cat ${at('pid')})" 2>/dev/null; do sleep 0.1; done; }
     [ "$1" = restart ] || exit 0
     set -a; . ${at('kassa.env')}; set +a
     ${at('kassa')}/kassa start >>${at('log')} 2>&1 & echo $! >${at('pid')}`,
  )
  await program('id', '[ "$1" = -u ] && echo 0')
  const env = {
    PATH: `${at('bin')}:${process.env.PATH}`,
    KASSA_SETTINGS: at('kassa.env'),
    KASSA_LINK: at('kassa'),
  }
  const run: Machine['run'] = (file, args) =>
    new Promise((done) => {
      execFile(file, args, { env, cwd: folder }, (error, stdout, stderr) =>
        done({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
      )
    })
  return {
    at,
    url: `http://127.0.0.1:${port}`,
    database,
    run,
    async end() {
      await run(at('bin/systemctl'), ['stop'])
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function unpack(directory: string, { root, version, extra = {} }: Source): Promise<string> {
  const copied = { recursive: true, filter: (path: string) => !TESTS.test(path.slice(root.length)) }
  await cp(join(root, 'server'), join(directory, 'server'), copied)
  const facts = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  await writeFile(join(directory, 'package.json'), JSON.stringify({ ...facts, version }))
  await copyFile(join(root, 'server/release/kassa'), join(directory, 'kassa'))
  await mkdir(join(directory, 'bin'))
  await symlink(process.execPath, join(directory, 'bin/node'))
  for (const name of ['node_modules', 'public']) await symlink(join(root, name), join(directory, name))
  const widget = { recursive: true }
  await cp(join(root, '.dist/widget', facts.version), join(directory, '.dist/widget', version), widget)
  for (const [path, text] of Object.entries(extra)) await writeFile(join(directory, path), text)
  return directory
}

const THIS: Source = { root: ROOT, version: VERSION }
const NEXT: Source = {
  root: ROOT,
  version: AHEAD,
  extra: { 'server/storage/migrations/world/0900_gifts.sql': MIGRATION },
}

/** Upgrades from one to the other, and back, while buyers pay. */
async function upgradeAndReturn(first: Source, second: Source): Promise<void> {
  const machine = await openMachine()
  const { at, run, url } = machine
  const inUse = () => readlink(at('kassa'))
  try {
    const [one, two] = [await unpack(at('one'), first), await unpack(at('two'), second)]
    await symlink(one, at('kassa'))
    await run(at('bin/systemctl'), ['restart', 'kassa'])
    await expect.poll(() => isReady(url)).toBe(true)
    const admin = async (args: string[]) => {
      const { code, output } = await run(at('kassa/kassa'), ['admin', ...args])
      return { code, stdout: output }
    }
    const shop = await openShopUnderLoad({ admin, addresses: [url], databaseUrl: machine.database.url })
    await shop.paySome()

    const upgraded = await run(join(two, 'kassa'), ['upgrade', '--yes'])
    expect(upgraded.output).toContain(`Version ${second.version} is ready`)
    expect([upgraded.code, await inUse()]).toEqual([0, two])
    for (const name of Object.keys(second.extra ?? {}))
      expect(upgraded.output).toContain(basename(name, '.sql'))
    await shop.paySome()

    const returned = await run(at('kassa/kassa'), ['back'])
    expect(returned.output).toContain(`Version ${first.version} is ready`)
    expect([returned.code, await inUse()]).toEqual([0, one])
    await shop.paySome()
    const seen = await shop.end()
    console.info(`${first.version} to ${second.version} and back: ${JSON.stringify(seen)}`)
  } catch (error) {
    console.error(await readFile(at('log'), 'utf8').catch(() => ''))
    throw error
  } finally {
    await machine.end()
  }
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

test('from the build before to this one, and back', async ({ skip }) => {
  if (!before) return skip('the history of the project is missing')
  console.info(`The build before is ${before.commit}`)
  await upgradeAndReturn({ root: before.folder, version: before.version }, THIS)
})

test('from this one to an invented next version, and back', () => upgradeAndReturn(THIS, NEXT))
