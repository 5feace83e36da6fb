<?php

/** Starts WordPress in a program: its arguments are the folder of the site and an input as JSON. */

[, $site, $json] = $argv + [2 => '{}'];
$input = json_decode($json, true);
$_SERVER['HTTP_HOST'] = '127.0.0.1';
$_SERVER['REQUEST_METHOD'] = 'GET';
