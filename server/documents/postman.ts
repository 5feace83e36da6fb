/** The requests of the API as a Postman collection, from the OpenAPI document. */
import type { OpenApiDocument } from '../http/openapi/document.ts'
import { sampleRequest } from './reference/endpoint-section.ts'

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

export function postmanCollection(document: OpenApiDocument): object {
  const baseUrl = document.servers[0]?.url ?? ''
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  return {
    info: { name: document.info.title, description: document.info.description, schema: SCHEMA },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: baseUrl },
      { key: 'token', value: '' },
    ],
    item: document.tags.map(({ name, description }) => ({
      name,
      description,
      item: described.filter(({ operation }) => operation.tags.includes(name)).map(requestOf),
    })),
  }

  function requestOf(each: (typeof described)[number]): object {
    const { method, url, withToken, headers, body } = sampleRequest(document, each)
    const raw = url.replace(baseUrl, '{{baseUrl}}')
    const [path = '', query = ''] = raw.split('?')
    const [host, ...parts] = path.split('/')
    const parameters = [...new URLSearchParams(query)].map(([key, value]) => ({ key, value }))
    return {
      name: each.operation.summary,
      request: {
        method,
        description: each.operation.description,
        header: Object.entries(headers).map(([key, value]) => ({ key, value })),
        url: { raw, host: [host], path: parts, query: parameters },
        ...(!withToken && { auth: { type: 'noauth' } }),
        ...(body && {
          body: { mode: 'raw', raw: JSON.stringify(body, null, 2), options: { raw: { language: 'json' } } },
        }),
      },
    }
  }
}
