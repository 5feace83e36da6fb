/** The addresses of the files for programs. */
export const POSTMAN_PATH = '/docs/kassa.postman_collection.json'
export const LLMS_PATH = '/docs/llms.txt'
