FROM python:3-slim

WORKDIR /app

COPY requirements.txt ./
RUN pip install --no-cache-dir --requirement requirements.txt

COPY . .
USER nobody
EXPOSE 8000
CMD ["python", "app.py"]
