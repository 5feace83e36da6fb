/**
 * The probes of a load balancer or a container platform. `/livez` tells that the process runs. `/readyz` tells whether it
 * should get requests: 200, or 503 with the reasons.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

export const PROBE_PATHS = ['/livez', '/readyz']

/** Responds to a GET or HEAD of a probe. Returns false for any other request, which the caller then handles. */
export function answerProbe(
  { method = '', url = '' }: Pick<IncomingMessage, 'method' | 'url'>,
  response: ServerResponse,
  readBlockers: () => Promise<string[]>,
): boolean {
  const path = url.split('?', 1)[0] ?? ''
  if (!PROBE_PATHS.includes(path) || !['GET', 'HEAD'].includes(method)) return false
  const reply = (status: number, body: object) =>
    response
      .writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' })
      .end(`${JSON.stringify(body)}\n`)
  if (path === '/livez') reply(200, { live: true })
  else
    void readBlockers()
      .catch(() => ['the service cannot tell whether it is ready'])
      .then((blockers) =>
        blockers.length === 0 ? reply(200, { ready: true }) : reply(503, { ready: false, blockers }),
      )
  return true
}
