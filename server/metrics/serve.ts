/** Serves `GET /metrics` and the probes, and nothing else, at a port of its own that is not public. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigError } from '../config.ts'
import type { Context, Worlds } from '../context.ts'
import { answerProbe } from '../probes.ts'
import { nameOf } from '../settings/table.ts'
import { readMachine } from '../start/machine.ts'
import { countAccountHealth } from '../storage/accounts/health.ts'
import { measureQueue } from '../storage/jobs.ts'
import { measureMails } from '../storage/mails/mails.ts'
import { measureOpenWork } from '../storage/open-work.ts'
import { listWorlds, mainWorld } from '../worlds.ts'
import type { Readings } from './gauges.ts'
import type { Prometheus } from './prometheus.ts'

export type MetricsServer = { port: number; close(): Promise<void> }

/**
 * Starts the metrics server and counts from now on. Returns null if no metrics port is set.
 * @throws ConfigError if the port cannot be opened
 */
export async function startMetrics(worlds: Worlds): Promise<MetricsServer | null> {
  const { metricsPort: port, metricsHost: host } = worlds.sandbox.config
  if (port === undefined) return null
  // A process that serves no metrics does without the library.
  const { createPrometheus } = await import('./prometheus.ts')
  const prometheus = createPrometheus(
    Object.fromEntries(
      listWorlds(worlds).map((ctx) => [ctx.world, readingsOf(ctx, ctx === mainWorld(worlds))]),
    ),
  )
  const server = createServer((request, response) => {
    if (answerProbe(request, response, () => mainWorld(worlds).readinessBlockers())) return
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    if (request.method !== 'GET') return void response.writeHead(405, { Allow: 'GET' }).end()
    void answer(prometheus, response)
  })
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError([`${nameOf('metricsPort')}: ${host}:${port} cannot be opened (${code})`])
  }
  for (const ctx of listWorlds(worlds)) ctx.metrics = prometheus.metricsOf(ctx.world)
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** `isMain`: the facts of the machine are shown with this world. */
function readingsOf(ctx: Context, isMain: boolean): Readings {
  return {
    queue: () => measureQueue(ctx.db),
    work: () => measureOpenWork(ctx.db, ctx.clock.now()),
    mails: () => measureMails(ctx.db),
    health: () => countAccountHealth(ctx.db),
    connections() {
      const { totalCount, idleCount, waitingCount } = ctx.db
      return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount }
    },
    waiting: () => ctx.share.countWaiting(),
    isReady: async () => (await ctx.readinessBlockers()).length === 0,
    machine: async () => (isMain ? readMachine(ctx) : null),
  }
}

async function answer(prometheus: Prometheus, response: ServerResponse): Promise<void> {
  const text = await prometheus.text()
  response.writeHead(200, { 'Content-Type': prometheus.contentType }).end(text)
}
