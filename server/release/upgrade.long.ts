/** Two versions of this tree, the second with one more migration: upgraded and taken back while the service accepts payments. */
import { execFile } from 'node:child_process'
import { chmod, copyFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../testing/database.ts'
import { freePort, SECRETS_KEY } from '../testing/harness.ts'
import { VERSION } from '../version.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TESTS = /\.(test|suite|long)\.tsx?$|server\/(testing|bench)(\/|$)/
const MIGRATION = '-- oldest version: 0.2.0\nalter table world.payments add column gift_note text;\n'

let folder: string
let database: TestDatabase
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-upgrade-'))
  database = await createEmptyDatabase(inject('postgresUrl'))
  await mkdir(at('bin'))
  const port = await freePort()
  const settings = {
    PORT: port,
    DATABASE_URL: database.url,
    DATA_DIR: at('data'),
    SECRETS_KEY,
    LOG_LEVEL: 'warn',
  }
  await writeFile(
    at('kassa.env'),
    Object.entries(settings)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(''),
  )
  // Plays systemd: ends the service, and starts what the link leads to.
  await program(
    'systemctl',
    `[ ! -f ${at('pid')} ] || { kill "$(cat ${at('pid')})"; while kill -0 "$(cat ${at('pid')})" 2>/dev/null; do sleep 0.1; done; }
     [ "$1" = restart ] || exit 0
     set -a; . ${at('kassa.env')}; set +a
     ${at('kassa')}/kassa start >>${at('log')} 2>&1 & echo $! >${at('pid')}`,
  )
  await program('id', '[ "$1" = -u ] && echo 0')
})
afterAll(async () => {
  await run(at('bin/systemctl'), ['stop'])
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

const at = (name: string) => join(folder, name)

async function program(name: string, body: string): Promise<void> {
  await writeFile(join(folder, 'bin', name), `#!/bin/sh\n${body}\n`)
  await chmod(join(folder, 'bin', name), 0o755)
}

async function unpack(version: string): Promise<string> {
  const directory = at(`kassa-${version}`)
  await cp(join(ROOT, 'server'), join(directory, 'server'), {
    recursive: true,
    filter: (path) => !TESTS.test(path),
  })
  const facts = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  await writeFile(join(directory, 'package.json'), JSON.stringify({ ...facts, version }))
  await copyFile(join(ROOT, 'server/release/kassa'), join(directory, 'kassa'))
  await mkdir(join(directory, 'bin'))
  await symlink(process.execPath, join(directory, 'bin/node'))
  for (const name of ['node_modules', 'public']) await symlink(join(ROOT, name), join(directory, name))
  await cp(join(ROOT, '.dist/widget', VERSION), join(directory, '.dist/widget', version), { recursive: true })
  return directory
}

function run(file: string, args: string[]): Promise<{ code: number; said: string }> {
  const env = {
    PATH: `${at('bin')}:${process.env.PATH}`,
    KASSA_SETTINGS: at('kassa.env'),
    KASSA_LINK: at('kassa'),
  }
  return new Promise((done) => {
    execFile(file, args, { env, cwd: folder }, (error, stdout, stderr) =>
      done({ code: error ? Number(error.code) : 0, said: stdout + stderr }),
    )
  })
}

async function versionServed(): Promise<string> {
  const [, port] = /PORT='(\d+)/.exec(await readFile(at('kassa.env'), 'utf8')) ?? []
  const health = await fetch(`http://127.0.0.1:${port}/api/health`)
  return ((await health.json()) as { version: string }).version
}

test('kassa upgrade shows the plan and switches, kassa back returns, and the merchants are there in both', async () => {
  const [one, two] = [await unpack('0.3.0'), await unpack('0.3.1')]
  await writeFile(join(two, 'server/storage/migrations/world/0900_gifts.sql'), MIGRATION)
  await symlink(one, at('kassa'))
  await run(at('bin/systemctl'), ['restart', 'kassa'])
  await expect.poll(versionServed, { timeout: 30_000 }).toBe('0.3.0')
  const merchants = async () =>
    JSON.parse((await run(at('kassa/kassa'), ['admin', 'merchant', 'list', '--json'])).said).merchants
  const before = await merchants()
  expect(before).not.toEqual([])

  const upgraded = await run(join(two, 'kassa'), ['upgrade', '--yes'])
  expect(upgraded).toMatchObject({
    code: 0,
    said: expect.stringMatching(/0900_gifts(.|\n)*Version 0\.1\.1 is ready/),
  })
  expect(await versionServed()).toBe('0.3.1')
  expect(await merchants()).toEqual(before)

  expect(await run(at('kassa/kassa'), ['back'])).toMatchObject({ code: 0 })
  expect(await versionServed()).toBe('0.3.0')
  expect(await merchants()).toEqual(before)
})
