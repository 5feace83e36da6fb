/** Starts the measured servers, each in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'

const READY_WITHIN_MS = 90_000

/** Limits that count every request and reject none, so that the measurement includes their cost. */
const UNREACHED = 'write=1000000:1000000,lookup=1000000:1000000'

export const KASSA_SETTINGS = {
  PORT: '0',
  // Several services on one machine cannot have the same port.
  CONSOLE_PORT: 'off',
  SEED_DEMO: 'false',
  LOG_LEVEL: 'warn',
  RATE_LIMITS: UNREACHED,
}

/** `port`: resolves once the server has printed its address. */
export type ServerProcess = { pid: number; port: Promise<number>; stop(): Promise<void> }

type Spawned = { environment: Record<string, string>; directory?: string }

/** Starts a checkout of Kassa exactly as its own `npm start` does. The script ends in `exec`, so the process is the service. */
export async function startService(
  root: string,
  environment: Record<string, string>,
): Promise<ServerProcess> {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  // Npm puts the programs of the checkout's dependencies first in the path, Node among them.
  const PATH = `${join(root, 'node_modules/.bin')}:${environment.PATH}`
  return spawnServer(['sh', '-c', scripts.start], { environment: { ...environment, PATH }, directory: root })
}

export function spawnServer(
  [program = '', ...words]: string[],
  { environment, directory }: Spawned,
): ServerProcess {
  const child = spawn(program, words, {
    env: environment,
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { pid: child.pid ?? 0, port: portOf(words.join(' '), child, Number(environment.PORT)), stop }
}

/** Returns the port in the first address that the server prints. `given`: the server's port, if it prints a proxy's address. */
async function portOf(what: string, child: ChildProcess, given: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let text = ''
  child.stdout?.on('data', (chunk) => {
    text += chunk
    const port = given || /http:\/\/[\w.]+:(\d+)/.exec(text)?.[1]
    if (port) resolve(Number(port))
  })
  child.once('exit', (code) => reject(new Error(`${what} ended with ${code} before it was ready.`)))
  const timer = setTimeout(reject, READY_WITHIN_MS, new Error(`${what} was not ready in time.`))
  return promise.finally(() => clearTimeout(timer))
}

/** For a service whose BASE_URL names a proxy, because it does not print its port. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Returns the memory of a process that is in use now. */
export async function readMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
}
