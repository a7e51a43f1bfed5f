# For a program that needs nothing beside itself.
FROM scratch

COPY ./app /app
USER 65534
ENTRYPOINT ["/app"]
