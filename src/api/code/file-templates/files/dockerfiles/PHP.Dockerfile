FROM composer:latest AS packages

WORKDIR /app
COPY composer.json composer.lock ./
RUN composer install --no-dev --no-interaction --no-scripts

FROM php:apache
COPY --from=packages /app/vendor /var/www/html/vendor
COPY . /var/www/html
