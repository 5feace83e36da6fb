/**
 * A machine of its own out of this one: the same programs, with directories, a network and processes of its own, so that the lines of a
 * guide install, start and remove what they name, and this machine does not change. It needs root on Linux. It has no systemd: units.ts
 * plays it.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { endProcess, endWithTest } from './child-process.ts'
import { type Ran, runInside } from './inside.ts'

const UNITS = fileURLToPath(new URL('units.ts', import.meta.url))
const SPACES = ['--mount', '--net', '--pid', '--ipc', '--uts', '--fork', '--mount-proc', '--kill-child']
/** What the lines write into. Everything else is that of this machine. */
const OWN = ['etc', 'opt', 'var', 'mnt', 'usr/local']
/** What the lines call, and what plays systemd. The PostgreSQL is that of Debian. */
const PROGRAMS = [
  'unshare',
  'nsenter',
  'setpriv',
  'useradd',
  'script',
  'openssl',
  'curl',
  'psql',
  'createuser',
  '/usr/lib/postgresql/*/bin/initdb',
]
const HOSTS = '127.0.0.1 localhost db.example pay.example'
const execute = promisify(execFile)

export type Machine = {
  run(line: string, how?: { folder?: string; input?: string }): Promise<Ran>
  /** As `run`. @throws Error with the output if the line fails */
  expect(line: string, how?: { folder?: string; input?: string }): Promise<string>
  end(): Promise<void>
}

/** Returns why there can be no such machine here, or the machine. */
export async function borrowMachine(): Promise<Machine | string> {
  if (process.getuid?.() !== 0) return 'only root can make a machine of its own'
  for (const program of PROGRAMS)
    if (!(await execute('sh', ['-c', `command -v ${program}`]).catch(() => null)))
      return `${program} is not installed`
  // An overlay cannot lie in a directory that it covers, nor in memory that is too small for two archives.
  const folder = await mkdtemp('/tmp/kassa-machine-')
  const setup = join(folder, 'setup')
  await writeFile(setup, setupOf(folder), { mode: 0o755 })
  const keeper = endWithTest(
    spawn('unshare', [...SPACES, 'bash', setup], { stdio: ['ignore', 'pipe', 'pipe'] }),
  )
  let output = ''
  keeper.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const end = async () => {
    await endProcess(keeper, 'SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
  const ready = keeper.stdout ? once(keeper.stdout, 'data') : Promise.reject(new Error('no output'))
  const isReady = await Promise.race([ready.then(() => true), once(keeper, 'exit').then(() => false)])
  if (!isReady) {
    await end()
    return `the machine cannot be made: ${output.trim()}`
  }
  const run: Machine['run'] = (line, how) => runInside(keeper.pid, line, how)
  const insist: Machine['expect'] = async (line, how) => {
    const ran = await run(line, how)
    if (ran.code !== 0) throw new Error(`"${line}" failed with ${ran.code}:\n${ran.output}`)
    return ran.output
  }
  return { run, expect: insist, end }
}

/** The first process takes over what others leave behind, and ends it. */
const setupOf = (folder: string): string => `set -e
ip link set lo up
for place in ${OWN.join(' ')}; do
  own=${folder}/$place
  mkdir -p $own/upper $own/work
  mount -t overlay overlay -o lowerdir=/$place,upperdir=$own/upper,workdir=$own/work /$place
done
mount -t tmpfs run /run
mkdir -p /run/postgresql && chmod 1777 /run/postgresql
echo '${HOSTS}' >/etc/hosts
for program in systemctl journalctl; do
  printf '#!/bin/sh\\nexec %s %s %s "$@"\\n' ${process.execPath} ${UNITS} $program >/usr/local/sbin/$program
  chmod 755 /usr/local/sbin/$program
done
echo ready
while :; do sleep 1000; done
`
