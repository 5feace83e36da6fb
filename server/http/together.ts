import type { RequestHandler } from 'express'

/** Runs steps one after the other as one, because Express takes about a microsecond for each that it runs itself. */
export function together(...steps: (RequestHandler | null)[]): RequestHandler {
  const all = steps.filter((step) => step !== null)
  return (request, response, next) => {
    let at = 0
    const goOn = (error?: unknown): unknown => {
      const step = error === undefined ? all[at++] : undefined
      return step ? step(request, response, goOn) : next(error)
    }
    return goOn()
  }
}
