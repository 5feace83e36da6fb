/**
 * Runs the service: reads the settings, starts the HTTP server and the worker, and stops them gracefully. `main.ts` gives it the
 * process, and tests give it an environment of their own.
 */
import { once } from 'node:events'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApp } from './app.ts'
import { releaseWidget } from './channels/widget-release.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { type ConsoleServer, startConsole } from './console/serve.ts'
import { machineClock, systemClock, type Worlds } from './context.ts'
import { type DemoCredentials, findDemoElsewhere, seedDemo } from './demo/seed.ts'
import { greeting } from './greeting.ts'
import { stopWaiting } from './http/prefer.ts'
import { adoptMessages, connectionsPerAddress, createHttpServer, guard } from './http/server.ts'
import { newSharedId } from './id.ts'
import { START } from './invocation.ts'
import { type MetricsServer, startMetrics } from './metrics/serve.ts'
import { checkOwnAccounts } from './operator/account-identity.ts'
import { listOpenRestores } from './payments/restored/report.ts'
import { answerProbe } from './probes.ts'
import { makeDataDir } from './secrets/keys.ts'
import { type OpenOptions, openService, type Service } from './service.ts'
import { nameOf } from './settings/table.ts'
import { watchClock } from './start/clock-watch.ts'
import { openSupervisor } from './start/systemd.ts'
import { startSandboxWorker } from './worker/sandbox-worker.ts'
import { startWorker, type Worker } from './worker/worker.ts'

const STOP_WITHIN_MS = 20_000
const CLOSE_IDLE_EVERY_MS = 50

export type Surroundings = {
  environment: Record<string, string | undefined>
  /** Aborted when the service must stop. */
  stopping: AbortSignal
  out(text: string): void
  err(text: string): void
  /** Is called once, with the process's exit code, when a started service has stopped. */
  exit(code: number): void
} & Pick<OpenOptions, 'logTo'>

/** Returns when the service is ready, or has stopped because of a signal during the start. */
export async function serve({ environment, stopping, out, err, exit, logTo }: Surroundings): Promise<void> {
  const started = performance.now()
  const config = readConfig(environment)
  for (const line of [...config.misspelt, ...config.warnings]) err(`Warning: ${line}`)
  const server = config.process === 'worker' ? null : await listen(config)
  const setApp = server && holdRequests(server)
  const localUrl = server ? addressOf(server) : undefined
  const service = await openService(config, {
    onProgress: err,
    ...(localUrl && { localUrl }),
    ...(logTo && { logTo }),
  }).catch((error: unknown) => {
    server?.close()
    throw error
  })
  // A signal came during the start. Only the database has to be closed.
  if (stopping.aborted) return leave(service, exit)
  const beside = await listenBeside(service, server !== null, err).catch(async (error: unknown) => {
    server?.close()
    await service.close()
    throw error
  })
  const demo = server && config.seedDemo ? await seed(service, server, err) : null
  const widget = server && (await releaseWidget(service.ctx))
  if (widget) {
    const app = createApp(service.worlds, { widget, demo })
    adoptMessages(app)
    setApp?.(guard(newRequestId, app))
  }
  const worker = config.process === 'web' ? null : await startWorkers(service.worlds)
  // This check runs in the background, so that no start waits for a provider.
  void checkOwnAccounts(service.worlds)
  const clockWatch = watchClock({ db: service.ctx.db, log: service.ctx.log, machine: machineClock })
  const supervisor = openSupervisor(environment, err)
  whenAborted(stopping, () => {
    supervisor.stopping()
    clockWatch.stop()
    stop({ server, worker, service, beside }, exit)
  })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const { ctx, dataDir } = service
  const restored = await listOpenRestores(service.worlds)
  supervisor.ready()
  out(
    greeting({
      ctx,
      dataDir,
      demo,
      console: beside.console,
      restored,
      seconds,
      serves: server !== null,
      works: worker !== null,
    }),
  )
}

/** The servers at ports of their own. */
type OtherServers = { metrics: MetricsServer | null; console: ConsoleServer | null }

async function listenBeside(
  { worlds }: Service,
  serves: boolean,
  err: Surroundings['err'],
): Promise<OtherServers> {
  const metrics = await startMetrics(worlds)
  try {
    return { metrics, console: serves ? await startConsole(worlds, err) : null }
  } catch (error) {
    await metrics?.close()
    throw error
  }
}

/** Starts a worker for each world. The sandbox's worker pauses while its clock is being moved. */
async function startWorkers({ sandbox, live }: Worlds): Promise<Worker> {
  const workers = [await startSandboxWorker(sandbox), ...(live ? [await startWorker(live)] : [])]
  return {
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()))
    },
  }
}

/** Makes the ids of requests that never reach the app. The app makes its own ids. */
const newRequestId = () => newSharedId('req', systemClock.now())

/** Listens before anything else starts, so that a port in use is reported at once. */
async function listen(config: Config): Promise<Server> {
  const server = createHttpServer(newRequestId, connectionsPerAddress(config))
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(config.port, config.host, resolve)
  await promise.catch((error: NodeJS.ErrnoException) => {
    throw Object.assign(new Error(whyNotListening(config, error.code)), { name: 'StartError' })
  })
  return server
}

function whyNotListening({ host, port }: Config, code = ''): string {
  const [HOST, PORT] = [nameOf('host'), nameOf('port')]
  if (code === 'EADDRINUSE')
    return `Port ${port} is used by another program. Stop that program, or choose another port: ${PORT}=${port + 1} ${START}`
  if (code === 'EACCES') return `Port ${port} needs more rights. Choose one above 1023: ${PORT}=3000 ${START}`
  return `Cannot listen on ${host}:${port} (${code}). Check ${HOST} and ${PORT}.`
}

/** Requests that come before the app is ready wait for it, except probes. Returns the function that sets the app. */
function holdRequests(server: Server): (app: RequestListener) => void {
  const { promise, resolve } = Promise.withResolvers<RequestListener>()
  const hold = (request: IncomingMessage, response: ServerResponse) =>
    void (
      answerProbe(request, response, async () => ['the service is starting']) ||
      promise.then((app) => app(request, response))
    )
  server.on('request', hold)
  return (app) => {
    server.off('request', hold).on('request', app)
    resolve(app)
  }
}

function addressOf(server: Server): string {
  const { port, address } = server.address() as AddressInfo
  return address === '127.0.0.1' || address === '0.0.0.0' || address === '::'
    ? `http://localhost:${port}`
    : `http://${address.includes(':') ? `[${address}]` : address}:${port}`
}

async function seed(
  { worlds: { sandbox: ctx }, dataDir }: Service,
  server: Server,
  err: Surroundings['err'],
): Promise<DemoCredentials | null> {
  const { port } = server.address() as AddressInfo
  const callbackUrl = `http://127.0.0.1:${port}/demo/callback`
  const elsewhere = await findDemoElsewhere(ctx, dataDir, callbackUrl)
  if (elsewhere) {
    err(`Another service on this database serves the demo shop: ${elsewhere}/demo/`)
    return null
  }
  const origins = [ctx.baseUrl, `http://localhost:${port}`, `http://127.0.0.1:${port}`].map(
    (url) => new URL(url).origin,
  )
  await makeDataDir(dataDir)
  const returnUrl = `${new URL(ctx.baseUrl).origin}/demo/thanks.html`
  return seedDemo(ctx, dataDir, { origins, returnUrl, callbackUrl })
}

type Running = {
  server: Server | null
  worker: Worker | null
  service: Service
  beside: OtherServers
}

function whenAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act)
}

/** Accepts no new connections, finishes running requests, releases leases and exits with 0. */
async function stop({ server, worker, service, beside }: Running, exit: Surroundings['exit']): Promise<void> {
  service.announceLeaving()
  stopWaiting(service.worlds)
  const limit = setTimeout(() => exit(1), STOP_WITHIN_MS).unref()
  await Promise.all([server && closeServer(server), beside.console?.close(), worker?.stop()])
  await beside.metrics?.close()
  await leave(service, exit)
  clearTimeout(limit)
}

async function leave(service: Service, exit: Surroundings['exit']): Promise<void> {
  await service.close()
  exit(0)
}

async function closeServer(server: Server): Promise<void> {
  // Idle connections are kept alive after a response and would keep the server open, so they are closed again and again.
  const closeIdle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS)
  server.close()
  await once(server, 'close')
  clearInterval(closeIdle)
}

/**
 * Explains why a start failed. Returns one line that says what to do if an operator can fix the problem, and a stack trace for
 * our own faults.
 */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof ConfigError || ['EmbeddedError', 'StartError'].includes(error.name))
    return error.message
  if (error.name === 'AppError' && error.cause instanceof Error)
    return `The database cannot be reached (${error.cause.message}). Check ${nameOf('databaseUrl')}, or leave it unset to use the embedded PostgreSQL.`
  if (error.name === 'AppError') return error.message
  return error.stack ?? error.message
}
