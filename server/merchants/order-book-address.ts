/** Stands for a callback URL: the order book, which is inside this service. */
export const ORDER_BOOK_URL = 'kassa:order-book'
