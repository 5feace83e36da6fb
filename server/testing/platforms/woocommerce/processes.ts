/** The programs that a WordPress of a test needs: a MariaDB, and PHP's own web server with several processes. */
import { type ChildProcess, type ExecFileOptions, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { endWithTest } from '../../processes/child-process.ts'

const execute = promisify(execFile)
const HERE = fileURLToPath(new URL('.', import.meta.url))
/** Six events at once, a buyer, and what WordPress asks of itself. */
const PHP_PROCESSES = 8
const READY_WITHIN_MS = 60_000
/** What PHP's web server prints of each connection. */
const ACCESS = /^\[\d+\] .* (?:Accepted|Closing)$/
const PRINTED_CHARS_MAX = 200_000
const PHP = [
  '-d',
  'memory_limit=512M',
  '-d',
  'opcache.enable_cli=1',
  '-d',
  'opcache.memory_consumption=192',
  '-d',
  'error_reporting=E_ALL & ~E_DEPRECATED',
]

/** Runs a program to its end. It is killed when the process of its test ends. */
function run(program: string, args: string[], options: ExecFileOptions = {}) {
  const running = execute(program, args, { ...options, encoding: 'utf8' })
  endWithTest(running.child)
  return running
}

/** Runs a PHP file of this folder inside the WordPress of a folder. Returns what it prints. */
export async function runPhp(site: string, file: string, input: object = {}): Promise<string> {
  const { stdout } = await run('php', [...PHP, join(HERE, file), site, JSON.stringify(input)], {
    maxBuffer: 16 * 1024 * 1024,
  })
  return stdout
}

/** Returns what PHP itself says against the files below a folder. */
export async function checkPhp(folder: string): Promise<string[]> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.php'),
  )
  const checks = names.map((name) =>
    run('php', ['-l', '-d', 'display_errors=1', '-d', 'error_reporting=-1', join(folder, name)]).then(
      ({ stdout }) => stdout,
      (error: { stdout?: string }) => error.stdout ?? String(error),
    ),
  )
  const checked = (await Promise.all(checks)).map((text) => text.trim())
  return checked.filter((text) => !text.startsWith('No syntax errors detected'))
}

export async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

export async function startMariaDb(folder: string): Promise<{ socket: string; close(): Promise<void> }> {
  const [data, socket] = [join(folder, 'mariadb'), join(folder, 'db.sock')]
  const common = ['--no-defaults', `--datadir=${data}`, '--user=root']
  await run('mariadb-install-db', [...common, '--auth-root-authentication-method=normal', '--skip-test-db'])
  const server = endWithTest(
    spawn(
      'mariadbd',
      [...common, `--socket=${socket}`, '--skip-networking', `--pid-file=${join(folder, 'db.pid')}`],
      { stdio: 'ignore' },
    ),
  )
  await until(() => existsSync(socket))
  execFileSync('mariadb', [
    '--no-defaults',
    `--socket=${socket}`,
    '-uroot',
    '-e',
    'create database wordpress',
  ])
  return { socket, close: () => end(server, 'SIGTERM') }
}

/** Waits for a fact of another process, which has nothing to wait on. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + READY_WITHIN_MS
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('WordPress has not started.')
    await sleep(100)
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

export type WebServer = { start(): Promise<void>; kill(): Promise<void>; output(): string }

export function createWebServer(site: string, port: number): WebServer {
  let printed = ''
  let server: ChildProcess | null = null
  const isLiving = () => server !== null && server.exitCode === null && server.signalCode === null
  const login = `http://127.0.0.1:${port}/wp-login.php`
  const answers = () =>
    fetch(login).then(
      (answer) => answer.ok,
      () => false,
    )
  const add = (chunk: Buffer) => {
    const lines = String(chunk).split('\n')
    printed = (printed + lines.filter((line) => !ACCESS.test(line)).join('\n')).slice(-PRINTED_CHARS_MAX)
  }

  function spawnServer(): void {
    const words = [...PHP, '-S', `127.0.0.1:${port}`, '-t', site, join(HERE, 'router.php')]
    const started = spawn('php', words, {
      env: { PATH: process.env.PATH, PHP_CLI_SERVER_WORKERS: String(PHP_PROCESSES) },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    started.stdout.on('data', add)
    started.stderr.on('data', add)
    // Its processes are a group.
    server = endWithTest(started, { isGroup: true })
  }

  return {
    /** It ends at once while a process of before still has the port, so it is started until it stays. */
    async start() {
      await until(async () => {
        if (!isLiving()) spawnServer()
        return answers()
      })
    },
    /** The last of its processes frees the port. */
    async kill() {
      const pid = server?.pid
      if (!isLiving() || !server || pid === undefined) return
      const ended = once(server, 'exit')
      process.kill(-pid, 'SIGKILL')
      await ended
      await until(async () => !(await answers()))
    },
    output: () => printed,
  }
}
