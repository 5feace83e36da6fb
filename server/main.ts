/** The entry of the service: environment, context, HTTP, worker, and a graceful stop. */
import { once } from 'node:events'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApp } from './app.ts'
import { releaseWidget } from './channels/widget-release.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { systemClock, type Worlds } from './context.ts'
import { type DemoCredentials, findDemoElsewhere, seedDemo } from './demo/seed.ts'
import { greeting } from './greeting.ts'
import { connectionsPerAddress, createHttpServer, guard } from './http/server.ts'
import { newSharedId } from './id.ts'
import { START } from './invocation.ts'
import { type MetricsServer, startMetrics } from './metrics/serve.ts'
import { answerProbe } from './probes.ts'
import { makeDataDir } from './secrets-keys.ts'
import { openService, type Service } from './service.ts'
import { nameOf } from './settings/table.ts'
import { startSandboxWorker } from './worker/sandbox-worker.ts'
import { startWorker, type Worker } from './worker/worker.ts'

const STOP_WITHIN_MS = 20_000
const IDLE_SWEEP_MS = 50
const SAME_SIGNAL_MS = 1_000

async function start(stopping: AbortSignal): Promise<void> {
  const started = performance.now()
  const config = readConfig(process.env)
  for (const line of [...config.misspelt, ...config.warnings]) console.error(`Warning: ${line}`)
  const server = config.process === 'worker' ? null : await listen(config)
  const serve = server && holdRequests(server)
  const localUrl = server ? addressOf(server) : undefined
  const progress = (line: string) => console.error(line)
  const service = await openService(config, { onProgress: progress, ...(localUrl && { localUrl }) })
  // Asked to stop before there was anything to stop but the database.
  if (stopping.aborted) return leave(service)
  const metrics = await startMetrics(service.worlds).catch(async (error: unknown) => {
    await service.close()
    throw error
  })
  const demo = server && config.seedDemo ? await seed(service, server) : null
  const widget = server && (await releaseWidget(service.ctx))
  if (widget) serve?.(guard(newRequestId, createApp(service.worlds, { widget, demo })))
  const worker = config.process === 'web' ? null : await startWorkers(service.worlds)
  whenAborted(stopping, () => stop({ server, worker, service, metrics }))
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(
    greeting({
      ctx: service.ctx,
      dataDir: service.dataDir,
      demo,
      seconds,
      serves: server !== null,
      works: worker !== null,
    }),
  )
}

/** A worker for each world. The sandbox's stands still while its clock is moved. */
async function startWorkers({ sandbox, live }: Worlds): Promise<Worker> {
  const workers = [await startSandboxWorker(sandbox), ...(live ? [await startWorker(live)] : [])]
  return {
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()))
    },
  }
}

/** Of requests that never reach the app; the app's own come from its context. */
const newRequestId = () => newSharedId('req', systemClock.now())

/** Takes the port first: a taken one is found before anything else is started. */
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
    return `Port ${port} is taken by another program. Stop that program, or choose another port: ${PORT}=${port + 1} ${START}`
  if (code === 'EACCES') return `Port ${port} needs more rights. Choose one above 1023: ${PORT}=3000 ${START}`
  return `Cannot listen on ${host}:${port} (${code}). Check ${HOST} and ${PORT}.`
}

/** Requests that come before the app is there wait for it, except probes. Returns how to hand the app over. */
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
): Promise<DemoCredentials | null> {
  const { port } = server.address() as AddressInfo
  const callbackUrl = `http://127.0.0.1:${port}/demo/callback`
  const elsewhere = await findDemoElsewhere(ctx, dataDir, callbackUrl)
  if (elsewhere) {
    console.error(`The demo shop stays with the service that has it: ${elsewhere}/demo/`)
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
  metrics: MetricsServer | null
}

/**
 * From the first line on, so that no moment leaves a database behind. A second signal does not wait. One Ctrl-C in a terminal, or
 * one stop of a service manager, reaches us twice: directly, and passed on by npm. Both together count as one signal.
 */
function listenForSignals(): AbortSignal {
  const stopping = new AbortController()
  let askedAt = 0
  const ask = () => {
    if (stopping.signal.aborted && performance.now() - askedAt < SAME_SIGNAL_MS) return
    if (stopping.signal.aborted) process.exit(1)
    askedAt = performance.now()
    console.error('Stopping: what is under way is finished first. Once more, to stop at once')
    stopping.abort()
  }
  process.on('SIGTERM', ask)
  process.on('SIGINT', ask)
  return stopping.signal
}

function whenAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act)
}

/** No new connections, requests finished, leases released, exit 0. */
async function stop({ server, worker, service, metrics }: Running): Promise<void> {
  service.announceLeaving()
  setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
  await Promise.all([server && closeServer(server), worker?.stop()])
  await metrics?.close()
  await leave(service)
}

async function leave(service: Service): Promise<void> {
  await service.close()
  process.exit(0)
}

async function closeServer(server: Server): Promise<void> {
  // A connection is kept alive after its last answer, and would hold the server open: idle ones are closed as they come.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS)
  server.close()
  await once(server, 'close')
  clearInterval(sweep)
}

/** One line that says what to do, for what an operator can mend; a stack for what we must. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof ConfigError || ['EmbeddedError', 'StartError'].includes(error.name))
    return error.message
  if (error.name === 'AppError' && error.cause instanceof Error)
    return `The database cannot be reached (${error.cause.message}). Check ${nameOf('databaseUrl')}, or leave it unset to use the embedded PostgreSQL.`
  if (error.name === 'AppError') return error.message
  return error.stack ?? error.message
}

try {
  await start(listenForSignals())
} catch (error) {
  console.error(explain(error))
  process.exit(1)
}
