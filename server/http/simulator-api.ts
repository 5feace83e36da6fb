/** Serves the API of a simulator, which drivers call like the API of any other provider. */
import type { RequestHandler } from 'express'
import { ZodError } from 'zod'
import type { Context } from '../context.ts'
import { readBytes } from './json/body.ts'

const BYTES_MAX = 16 * 1024
const UNREADABLE = { error: 'the request cannot be read' }

type Sent = { method: string; path: string; headers: Record<string, unknown>; body: Buffer }
type Answer = (sent: Sent) => Promise<{ status: number; text: string }>

/**
 * A request to a simulator takes no place of the sandbox's share. The request of the sandbox that waits for it has one already.
 * `answer`: throws if the reply is lost.
 */
export function serveSimulator({ log }: Pick<Context, 'log'>, answer: Answer): RequestHandler {
  return async (request, response) => {
    const { method, path, headers } = request
    try {
      const body = await readBytes(request, BYTES_MAX)
      if (typeof body === 'string') return void response.status(400).json(UNREADABLE)
      const { status, text } = await answer({ method, path, headers, body })
      response.status(status).type('json').send(text)
    } catch (error) {
      if (error instanceof ZodError) return void response.status(400).json(UNREADABLE)
      // A fault loses the response, or the database cannot be reached.
      log.debug({ err: error, api: request.baseUrl }, 'a simulator closes the connection')
      request.socket.destroy()
    }
  }
}
