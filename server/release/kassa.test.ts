/** The launcher of an archive: the operator's commands, and the way to another version and back. A stand-in plays Node and systemd. */
import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const LAUNCHER = fileURLToPath(new URL('kassa', import.meta.url))

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-launcher-'))
  await mkdir(join(folder, 'bin'))
  await program('bin/systemctl', 'echo "systemctl $*" >>"$CALLS"')
  // The tests may run as an ordinary user, and there is no user of the service.
  await program('bin/id', '[ "$1" = -u ] && echo 0')
})
afterEach(() => rm(folder, { recursive: true }))

async function program(path: string, body: string): Promise<void> {
  await writeFile(join(folder, path), `#!/bin/sh\n${body}\n`)
  await chmod(join(folder, path), 0o755)
}

/** Unpacks a version whose Node only notes its arguments. `refuses`: a word in a command that fails. */
async function unpack(version: string, refuses = 'nothing'): Promise<string> {
  const directory = join(folder, `kassa-${version}-linux-x64`)
  await mkdir(join(directory, 'bin'), { recursive: true })
  await copyFile(LAUNCHER, join(directory, 'kassa'))
  const node = `case "$*" in *package.json*) echo ${version}; exit;; esac
    case "$*" in *readyz*) echo "ready? ${version}" >>"$CALLS";; *) echo "${version} $DATA_DIR \${*#$PWD}" >>"$CALLS";; esac
    case "$*" in *${refuses}*) exit 1;; esac`
  await program(`kassa-${version}-linux-x64/bin/node`, node)
  return directory
}

const at = (name: string) => join(folder, name)

function run(launcher: string, args: string[]): Promise<{ code: number; output: string }> {
  const env = {
    PATH: `${at('bin')}:${process.env.PATH}`,
    CALLS: at('calls'),
    KASSA_SETTINGS: at('kassa.env'),
    KASSA_LINK: at('kassa'),
    KASSA_UNITS: at('units'),
  }
  return new Promise((done) => {
    const child = execFile(launcher, args, { env, cwd: folder }, (error, stdout, stderr) =>
      done({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    )
    child.stdin?.end()
  })
}

const calls = async () =>
  (await readFile(at('calls'), 'utf8').catch(() => '')).replaceAll(folder, '').split('\n').filter(Boolean)
const inUse = () => readlink(at('kassa'))

describe('kassa admin', () => {
  test('reads the settings of the service, and uses its data', async () => {
    const one = await unpack('1.0.0')
    await writeFile(at('kassa.env'), 'DATA_DIR=/srv/kassa\n')
    expect(await run(join(one, 'kassa'), ['admin', 'merchant', 'list'])).toMatchObject({ code: 0 })
    expect(await calls()).toEqual([
      expect.stringContaining('--env-file=/kassa.env /kassa-1.0.0-linux-x64/server/admin.ts merchant list'),
    ])
  })

  test('without a file of settings uses the environment', async () => {
    const one = await unpack('1.0.0')
    await run(join(one, 'kassa'), ['admin', 'merchant', 'list'])
    expect(await calls()).toEqual([expect.not.stringContaining('env-file')])
  })
})

test('kassa start compiles once where it may write, and starts anyway if that fails', {
  tags: ['long'],
}, async () => {
  const one = await unpack('1.0.0', '--compile')
  const start = () => run(join(one, 'kassa'), ['start'])
  const programs = async () => (await calls()).map((call) => call.replace(/.*server./, ''))
  expect(await start()).toMatchObject({ code: 0 })
  expect(await programs()).toEqual(['main.ts'])
  await mkdir(join(one, '.dist'))
  expect(await start()).toMatchObject({ code: 0 })
  expect(await programs()).toEqual(['main.ts', 'main.ts --compile', 'main.ts'])
  await start()
  expect((await programs()).slice(3)).toEqual(['main.ts'])
})

describe('kassa upgrade', () => {
  test('shows the plan, upgrades the database, and only then switches; back returns', async () => {
    const [one, two] = [await unpack('1.0.0'), await unpack('2.0.0')]
    await symlink(one, at('kassa'))
    expect(await run(join(two, 'kassa'), ['upgrade', '--yes'])).toMatchObject({
      code: 0,
      output: expect.stringMatching(/From version 1\.0\.0 to 2\.0\.0(.|\n)*Version 2\.0\.0 is ready/),
    })
    expect(await inUse()).toBe(two)
    expect((await calls()).map((call) => call.replace(/^(\S+) .*admin\.ts/, '$1'))).toEqual([
      '2.0.0 database migrate --plan',
      '2.0.0 database migrate',
      expect.stringMatching(/^2\.0\.0 .*server\/main\.ts --compile$/),
      '2.0.0 --help',
      'systemctl restart kassa',
      'ready? 2.0.0',
    ])
    expect(await run(at('kassa/kassa'), ['back'])).toMatchObject({
      code: 0,
      output: expect.stringMatching(
        /restored only with version 2\.0\.0(.|\n)*kassa\.previous\/kassa admin backup verify/,
      ),
    })
    expect(await inUse()).toBe(one)
    expect(await run(at('kassa/kassa'), ['back'])).toMatchObject({ code: 0 })
    expect(await inUse()).toBe(two)
  })

  test('names the builds, because two of one version are told apart by them alone', {
    tags: ['long'],
  }, async () => {
    const [one, two] = [await unpack('1.0.0'), await unpack('1.0.0-new')]
    await symlink(one, at('kassa'))
    for (const [directory, build] of [
      [one, 'aaaaaaaa'],
      [two, 'bbbbbbbb'],
    ] as const)
      await writeFile(join(directory, 'BUILD'), `${build}\n`)
    const { output } = await run(join(two, 'kassa'), ['upgrade', '--yes'])
    expect(output).toContain('From version 1.0.0 (aaaaaaaa) to 1.0.0-new (bbbbbbbb).')
  })

  test('says which unit of the machine differs from the new version', { tags: ['long'] }, async () => {
    const [one, two] = [await unpack('1.0.0'), await unpack('2.0.0')]
    await symlink(one, at('kassa'))
    const units = {
      'kassa.service': 'new',
      'kassa-backup.timer': 'same',
      'kassa-verify.timer': 'not installed',
    }
    await mkdir(join(two, 'server/deploy'), { recursive: true })
    await mkdir(at('units'))
    for (const [name, text] of Object.entries(units)) await writeFile(join(two, 'server/deploy', name), text)
    await writeFile(at('units/kassa.service'), 'old')
    await writeFile(at('units/kassa-backup.timer'), 'same')
    const { output } = await run(join(two, 'kassa'), ['upgrade', '--yes'])
    expect(output.match(/\S+ differs/g)).toEqual([`${at('units/kassa.service')} differs`])
  })

  test('without a terminal and without --yes changes nothing', { tags: ['long'] }, async () => {
    const [one, two] = [await unpack('1.0.0'), await unpack('2.0.0')]
    await symlink(one, at('kassa'))
    expect(await run(join(two, 'kassa'), ['upgrade'])).toMatchObject({
      code: 1,
      output: expect.stringContaining('--yes'),
    })
    expect([await inUse(), (await calls()).length]).toEqual([one, 1])
  })

  test('whose plan cannot be made changes nothing', { tags: ['long'] }, async () => {
    const [one, two] = [await unpack('1.0.0'), await unpack('2.0.0', '--plan')]
    await symlink(one, at('kassa'))
    expect((await run(join(two, 'kassa'), ['upgrade', '--yes'])).code).toBe(1)
    expect([await inUse(), (await calls()).length]).toEqual([one, 1])
  })

  test('to a version that does not start returns to the one before', async () => {
    const [one, two] = [await unpack('1.0.0'), await unpack('2.0.0')]
    await program(
      'bin/systemctl',
      `echo "systemctl $*" >>"$CALLS"; [ "$(readlink "$KASSA_LINK")" != ${two} ]`,
    )
    await symlink(one, at('kassa'))
    const failed = await run(join(two, 'kassa'), ['upgrade', '--yes'])
    expect(failed).toMatchObject({ code: 1, output: expect.stringContaining('Version 1.0.0 runs again') })
    expect(await inUse()).toBe(one)
    expect((await calls()).filter((call) => call.startsWith('systemctl'))).toHaveLength(2)
    expect(await run(at('kassa/kassa'), ['back'])).toMatchObject({
      output: expect.stringContaining('no earlier version'),
    })
  })

  test('back is refused if the earlier version cannot work on the database any more', async () => {
    const [one, two] = [await unpack('1.0.0', '--plan'), await unpack('2.0.0')]
    await symlink(one, at('kassa'))
    await run(join(two, 'kassa'), ['upgrade', '--yes'])
    expect(await run(at('kassa/kassa'), ['back'])).toMatchObject({
      code: 1,
      output: expect.stringContaining('Version 1.0.0 cannot work on this database any more'),
    })
    expect(await inUse()).toBe(two)
  })
})
