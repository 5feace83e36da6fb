<?php
require 'Kassa.php';

$kassa = Kassa\openKassa(['url' => 'http://localhost:3000', 'token' => getenv('KASSA_TOKEN')]);
$order = [
    'merchantOrderId' => 'php-1',
    'amountMinor' => Kassa\toMinor('19.00', 'USD'),
    'currency' => 'USD',
    'returnUrl' => 'https://shop.example/thanks',
];
$made = $kassa->createPayment($order, ['key' => Kassa\keyOf('pay', $order['merchantOrderId'])]);
echo $made->ok ? $made->value['checkoutUrl'] : print_r($made->error, true), "\n";
