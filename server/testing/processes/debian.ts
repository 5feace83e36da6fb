/**
 * Boots an empty Debian with its own systemd in a container. It needs root, `systemd-nspawn` and `debootstrap`. The machine has only
 * its own loopback, so nothing that runs in it can reach another machine.
 */
import { execFile, spawn } from 'node:child_process'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { endProcess, endWithTest } from './child-process.ts'
import { type Ran, runInside } from './inside.ts'

/** The tree of the empty Debian takes half a minute to make, so it is kept. */
const TREE = fileURLToPath(new URL('../../../.dist/debian', import.meta.url))
const PACKAGES = 'systemd,systemd-sysv,dbus,openssl,ca-certificates,curl'
const BOOTS_WITHIN_MS = 60_000

const execute = promisify(execFile)

export type Debian = {
  directory: string
  /** Runs a line of a shell as root in /root, as after a login. Returns its code and its whole output. */
  run(line: string): Promise<Ran>
  /** As `run`. @throws Error with the output if the line fails */
  expect(line: string): Promise<string>
  end(): Promise<void>
}

/** Returns why no machine can be booted here, or the machine. */
export async function bootDebian(): Promise<Debian | string> {
  if (process.getuid?.() !== 0) return 'only root can boot a systemd'
  for (const program of ['systemd-nspawn', 'debootstrap', 'nsenter'])
    if (!(await isThere(program))) return `${program} is not installed`
  try {
    await makeTree()
  } catch (error) {
    return `debootstrap cannot make a Debian: ${(error as Error).message}`
  }
  // The temporary directory of the tests may be in memory, which is too small for a machine.
  const directory = await mkdtemp('/var/tmp/kassa-debian-')
  await execute('cp', ['--archive', `${TREE}/.`, directory])
  // A new machine writes its own id.
  await writeFile(join(directory, 'etc/machine-id'), '')
  return start(directory)
}

const isThere = (program: string) =>
  execute('which', [program]).then(
    () => true,
    () => false,
  )

async function makeTree(): Promise<void> {
  if (
    await access(join(TREE, 'etc/hosts'))
      .then(() => true)
      .catch(() => false)
  )
    return
  await rm(TREE, { recursive: true, force: true })
  await execute('debootstrap', ['--variant=minbase', `--include=${PACKAGES}`, 'bookworm', TREE])
  await writeFile(join(TREE, 'etc/hosts'), '127.0.0.1 localhost\n::1 localhost\n')
}

async function start(directory: string): Promise<Debian | string> {
  const flags = ['--boot', '--register=no', '--keep-unit', '--private-network', '--console=pipe', '--quiet']
  const machine = endWithTest(
    spawn('systemd-nspawn', [`--directory=${directory}`, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] }),
  )
  let console = ''
  for (const stream of [machine.stdout, machine.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      console += text
    })
  const end = async () => {
    await endProcess(machine, 'SIGTERM')
    await rm(directory, { recursive: true, force: true })
  }
  const run = (line: string) => runInside(machine.pid, line)
  const until = Date.now() + BOOTS_WITHIN_MS
  while (Date.now() < until && machine.exitCode === null) {
    const { output } = await run('systemctl is-system-running').catch((error: Error) => ({
      output: error.message,
    }))
    if (/^(running|degraded)/.test(output))
      return { directory, run, expect: (line) => insist(run, line), end }
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  await end()
  return `systemd does not boot in a container here: ${console.trim().split('\n').at(-1)}`
}

async function insist(run: Debian['run'], line: string): Promise<string> {
  const { code, output } = await run(line)
  if (code !== 0) throw new Error(`"${line}" failed with ${code}:\n${output}`)
  return output
}
